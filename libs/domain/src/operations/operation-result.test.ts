import { expect, test } from 'vitest';
import type { OperationWithCollection } from '../documents/operation.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import { operationResults } from './operation-result.ts';

const operation = (key: string, facts: Partial<OperationWithCollection> = {}): OperationWithCollection => ({
  collectionId: 'c' as CollectionId,
  collectionName: 'Roads',
  key: key as OperationKey,
  method: 'GET',
  path: '/roads',
  operationId: null,
  summary: null,
  tags: [],
  deprecated: false,
  excerpt: '',
  ...facts,
});
const match = (key: string, similarity: number) => ({
  collectionId: 'c' as CollectionId,
  key: key as OperationKey,
  similarity,
});
const keys = (...[matches, all]: Parameters<typeof operationResults>) =>
  operationResults(matches, all).map(({ key }) => key);

test('the most similar operations come first, regardless of the order in which they were read', () => {
  expect(keys([match('a', 0.5), match('b', 0.9)], [operation('a'), operation('b')])).toEqual(['b', 'a']);
});

test('operations with equal scores are sorted by deprecation, name, path and method', () => {
  const all = [
    operation('a', { deprecated: true, collectionName: 'A' }),
    operation('b', { collectionName: 'B' }),
    operation('c', { path: '/b', method: 'PUT' }),
    operation('d', { path: '/b', method: 'GET' }),
    operation('e', { path: '/a' }),
  ];
  const matches = ['a', 'b', 'c', 'd', 'e'].map((key) => match(key, 0.7));
  expect(keys(matches, all)).toEqual(['b', 'e', 'd', 'c', 'a']);
});

test('an operation that no longer exists is omitted', () => {
  expect(keys([match('a', 0.9), match('b', 0.8)], [operation('b')])).toEqual(['b']);
});

test('noise is omitted', () => {
  expect(keys([match('a', 0.9), match('b', 0.3)], [operation('a'), operation('b')])).toEqual(['a']);
  expect(keys([match('b', -0.2)], [operation('b')])).toEqual([]);
});

test('a score has six decimals', () => {
  const [result] = operationResults([match('a', 0.71234567)], [operation('a')]);
  expect(result?.score).toBe(Number(result?.score.toFixed(6)));
});
