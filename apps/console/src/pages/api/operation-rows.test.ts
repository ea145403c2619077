import { expect, it } from 'vitest';
import { findNextOperation, rowsOf, type Operation } from './operation-rows.ts';

const operation = (key: string, ...tags: string[]): Operation => ({
  operation_key: key,
  method: 'GET',
  path: `/${key}`,
  operation_id: null,
  summary: null,
  tags,
  deprecated: false,
  call: 'allowed',
});

it('adds a heading where the first tag changes, and keeps the order', () => {
  const rows = rowsOf([operation('a', 'x'), operation('b', 'x', 'y'), operation('c', 'y'), operation('d')]);
  expect(rows.map((row) => (row.kind === 'tag' ? `[${row.tag}]` : row.key))).toEqual([
    '[x]',
    'a',
    'b',
    '[y]',
    'c',
    '[null]',
    'd',
  ]);
});

it('adds no headings without tags', () => {
  expect(rowsOf([operation('a'), operation('b')]).map(({ kind }) => kind)).toEqual(['operation', 'operation']);
});

it('the arrow keys skip headings and stop at the ends', () => {
  const rows = rowsOf([operation('a', 'x'), operation('b', 'y')]);
  expect(findNextOperation(rows, 1, 1)).toBe(3);
  expect(findNextOperation(rows, 3, -1)).toBe(1);
  expect(findNextOperation(rows, 1, -1)).toBeUndefined();
  expect(findNextOperation(rows, 3, 1)).toBeUndefined();
});
