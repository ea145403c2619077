import { expect, test } from 'vitest';
import { recallOf } from './exact.ts';

const scores = Float64Array.of(0.9, 0.8, 0.8, 0.7, 0.6);

test('recall is the share of the best that was found', () => {
  expect(recallOf([0, 4], [0, 1, 2, 3, 4], scores, 2)).toBe(0.5);
  expect(recallOf([3, 4], [3, 4], scores, 2)).toBe(1);
});

test('of rows with the same score each one is right', () => {
  expect(recallOf([0, 1], [0, 1, 2, 3, 4], scores, 2)).toBe(1);
  expect(recallOf([0, 2], [0, 1, 2, 3, 4], scores, 2)).toBe(1);
});

test('a row found twice, or one that is not visible, counts for nothing', () => {
  expect(recallOf([0, 0], [0, 1, 2, 3, 4], scores, 2)).toBe(0.5);
  expect(recallOf([0, 3], [3, 4], scores, 2)).toBe(0.5);
});

test('where fewer are visible than asked for, all of them are the best', () => {
  expect(recallOf([4, 3], [3, 4], scores, 10)).toBe(1);
});
