import { expect, test } from 'vitest';
import type { FoundOperation } from '../documents/operation.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import { operationResults } from './operation-result.ts';

const found = (key: string, facts: Partial<FoundOperation> = {}): FoundOperation => ({
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

test('the most similar come first, whatever the order they were read in', () => {
  expect(keys([match('a', 0.5), match('b', 0.9)], [found('a'), found('b')])).toEqual(['b', 'a']);
});

test('of equals those that are not deprecated come first, then by name, path and method', () => {
  const all = [
    found('a', { deprecated: true, collectionName: 'A' }),
    found('b', { collectionName: 'B' }),
    found('c', { path: '/b', method: 'PUT' }),
    found('d', { path: '/b', method: 'GET' }),
    found('e', { path: '/a' }),
  ];
  const matches = ['a', 'b', 'c', 'd', 'e'].map((key) => match(key, 0.7));
  expect(keys(matches, all)).toEqual(['b', 'e', 'd', 'c', 'a']);
});

test('an operation that no longer exists is left out', () => {
  expect(keys([match('a', 0.9), match('b', 0.8)], [found('b')])).toEqual(['b']);
});

test('noise is left out', () => {
  expect(keys([match('a', 0.9), match('b', 0.3)], [found('a'), found('b')])).toEqual(['a']);
  expect(keys([match('b', -0.2)], [found('b')])).toEqual([]);
});

test('a score has six decimals', () => {
  const [result] = operationResults([match('a', 0.71234567)], [found('a')]);
  expect(result?.score).toBe(Number(result?.score.toFixed(6)));
});
