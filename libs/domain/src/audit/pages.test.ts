import { expect, test } from 'vitest';
import { pageOf, countPages } from './pages.ts';

test('a page size of 100 is accepted, and 101 is reduced to 100', () => {
  expect(pageOf(1, 100)).toEqual({ page: 1, pageSize: 100, offset: 0 });
  expect(pageOf(3, 101)).toEqual({ page: 3, pageSize: 100, offset: 200 });
});

test('the offset of a page far beyond the end is a safe integer', () => {
  expect(pageOf(Number.MAX_SAFE_INTEGER, 100).offset).toBe(Number.MAX_SAFE_INTEGER);
});

test.each([
  [0, 20, 0],
  [1, 20, 1],
  [20, 20, 1],
  [21, 20, 2],
])('%i entries on pages of %i result in %i pages', (total, size, pages) => {
  expect(countPages(total, size)).toBe(pages);
});
