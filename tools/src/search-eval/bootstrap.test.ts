import { expect, test } from 'vitest';
import { difference, estimate } from './bootstrap.ts';

test('a constant has no interval', () => {
  expect(estimate([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
});

test('the interval of a fair coin is about two standard errors to each side', () => {
  const { mean, low, high } = estimate(Array.from({ length: 100 }, (_, at) => at % 2));
  expect(mean).toBe(0.5);
  expect(low).toBeCloseTo(0.4, 1);
  expect(high).toBeCloseTo(0.6, 1);
});

test('the same values have the same interval each time', () => {
  const values = Array.from({ length: 30 }, (_, at) => Math.sin(at));
  expect(estimate(values)).toEqual(estimate(values));
});

test('no values have a mean of 0', () => {
  expect(estimate([])).toEqual({ mean: 0, low: 0, high: 0 });
});

test('a ranker that is equal for every query differs with p 1', () => {
  expect(difference([0.2, 0.4], [0.2, 0.4])).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
});

test('a ranker with a constant lead has the smallest p, regardless of the baseline', () => {
  const [better, worse] = [
    [0.5, 0.75, 1],
    [0.25, 0.5, 0.75],
  ];
  const ahead = difference(better, worse);
  expect(ahead).toMatchObject({ mean: 0.25, low: 0.25, high: 0.25 });
  expect(ahead.p).toBeCloseTo(2 / 10_001, 10);
  expect(difference(worse, better)).toMatchObject({ mean: -0.25, p: ahead.p });
});

test('queries are compared in pairs: a small steady lead counts, regardless of the variance between queries', () => {
  const worse = Array.from({ length: 40 }, (_, at) => at / 40);
  const better = worse.map((value, at) => value + (at % 8 === 0 ? -0.01 : 0.02));
  expect(estimate(better).low).toBeLessThan(estimate(worse).high);
  expect(difference(better, worse).p).toBeLessThan(0.001);
});

test('a lead from one query of many is not significant', () => {
  expect(difference([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]).p).toBeGreaterThan(0.3);
});
