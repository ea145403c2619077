import { expect, test } from 'vitest';
import { pageOf, totalPages } from './pages.ts';

test('a page size of 100 is accepted, one of 101 is reduced to it', () => {
  expect(pageOf(1, 100)).toEqual({ page: 1, pageSize: 100, offset: 0 });
  expect(pageOf(3, 101)).toEqual({ page: 3, pageSize: 100, offset: 200 });
});

test('a page beyond the end starts at an exact integer', () => {
  expect(pageOf(Number.MAX_SAFE_INTEGER, 100).offset).toBe(Number.MAX_SAFE_INTEGER);
});

test.each([
  [0, 20, 0],
  [1, 20, 1],
  [20, 20, 1],
  [21, 20, 2],
])('%i entries on pages of %i result in %i pages', (total, size, pages) => {
  expect(totalPages(total, size)).toBe(pages);
});
