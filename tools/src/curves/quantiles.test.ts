import { expect, test } from 'vitest';
import { median, quantile } from './quantiles.ts';

const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);

test('a quantile is the least value that its share of the values does not exceed', () => {
  expect(quantile(hundred, 0.5)).toBe(50);
  expect(quantile(hundred, 0.99)).toBe(99);
  expect(quantile(hundred, 0.991)).toBe(100);
  expect(quantile(hundred, 0)).toBe(1);
  expect(quantile(hundred, 1)).toBe(100);
});

test('a quantile is one of the values, in whatever order and of whatever size they are', () => {
  expect(median([10, 9, 100, 1])).toBe(9);
  expect(median([3])).toBe(3);
  expect(quantile([2, 10], 0.99)).toBe(10);
});

test('nothing has no quantile', () => {
  expect(median([])).toBeNaN();
});
