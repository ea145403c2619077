import { expect, test } from 'vitest';
import type { OperationWithCollection } from '../documents/operation.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import { toOperationResults } from './operation-result.ts';

const operation = (key: string, fields: Partial<OperationWithCollection> = {}): OperationWithCollection => ({
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
  ...fields,
});
const match = (key: string, similarity: number) => ({
  collectionId: 'c' as CollectionId,
  key: key as OperationKey,
  similarity,
});
const keys = (...[matches, operations]: Parameters<typeof toOperationResults>) =>
  toOperationResults(matches, operations).map(({ key }) => key);

test('the most similar operations come first, regardless of the order in which they were read', () => {
  expect(keys([match('a', 0.5), match('b', 0.9)], [operation('a'), operation('b')])).toEqual(['b', 'a']);
});

test('operations with equal scores are sorted by deprecation, name, path and method', () => {
  const operations = [
    operation('a', { deprecated: true, collectionName: 'A' }),
    operation('b', { collectionName: 'B' }),
    operation('c', { path: '/b', method: 'PUT' }),
    operation('d', { path: '/b', method: 'GET' }),
    operation('e', { path: '/a' }),
  ];
  const matches = ['a', 'b', 'c', 'd', 'e'].map((key) => match(key, 0.7));
  expect(keys(matches, operations)).toEqual(['b', 'e', 'd', 'c', 'a']);
});

test('an operation that no longer exists is omitted', () => {
  expect(keys([match('a', 0.9), match('b', 0.8)], [operation('b')])).toEqual(['b']);
});

test('operations with a low similarity are omitted', () => {
  expect(keys([match('a', 0.9), match('b', 0.3)], [operation('a'), operation('b')])).toEqual(['a']);
  expect(keys([match('b', -0.2)], [operation('b')])).toEqual([]);
});

test('a score has six decimals', () => {
  const [result] = toOperationResults([match('a', 0.71234567)], [operation('a')]);
  expect(result?.score).toBe(Number(result?.score.toFixed(6)));
});
