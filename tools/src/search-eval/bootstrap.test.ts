import { expect, test } from 'vitest';
import { estimateDifference, estimate } from './bootstrap.ts';

test('a constant has no interval', () => {
  expect(estimate([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
});

test('the interval of a fair coin is about two standard errors to each side', () => {
  const { mean, low, high } = estimate(Array.from({ length: 100 }, (_, index) => index % 2));
  expect(mean).toBe(0.5);
  expect(low).toBeCloseTo(0.4, 1);
  expect(high).toBeCloseTo(0.6, 1);
});

test('the same values have the same interval each time', () => {
  const values = Array.from({ length: 30 }, (_, index) => Math.sin(index));
  expect(estimate(values)).toEqual(estimate(values));
});

test('no values have a mean of 0', () => {
  expect(estimate([])).toEqual({ mean: 0, low: 0, high: 0 });
});

test('rankers with equal values for every query have a p of 1', () => {
  expect(estimateDifference([0.2, 0.4], [0.2, 0.4])).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
});

test('a ranker with a constant lead has the smallest p, regardless of the baseline', () => {
  const [betterValues, worseValues] = [
    [0.5, 0.75, 1],
    [0.25, 0.5, 0.75],
  ];
  const lead = estimateDifference(betterValues, worseValues);
  expect(lead).toMatchObject({ mean: 0.25, low: 0.25, high: 0.25 });
  expect(lead.p).toBeCloseTo(2 / 10_001, 10);
  expect(estimateDifference(worseValues, betterValues)).toMatchObject({ mean: -0.25, p: lead.p });
});

test('queries are compared in pairs: a small steady lead counts, regardless of the variance between queries', () => {
  const worseValues = Array.from({ length: 40 }, (_, index) => index / 40);
  const betterValues = worseValues.map((value, index) => value + (index % 8 === 0 ? -0.01 : 0.02));
  expect(estimate(betterValues).low).toBeLessThan(estimate(worseValues).high);
  expect(estimateDifference(betterValues, worseValues).p).toBeLessThan(0.001);
});

test('a lead from one query of many is not significant', () => {
  expect(estimateDifference([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]).p).toBeGreaterThan(0.3);
});
