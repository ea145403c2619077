import { expect, test } from 'vitest';
import { bucketsOf, findNoiseThreshold, type ScoredGrade } from './calibration.ts';

const results = (score: number, grades: readonly number[]): readonly ScoredGrade[] =>
  grades.map((grade) => ({ score, grade }));

test('a bucket includes its lower bound, and the last one includes 1', () => {
  expect(bucketsOf([...results(0.15, [2]), ...results(0.1999, [1, 0, 0]), ...results(1, [2])])).toEqual([
    { from: 0.15, to: 0.2, count: 4, direct: 0.25, relevant: 0.5 },
    { from: 0.95, to: 1, count: 1, direct: 1, relevant: 1 },
  ]);
});

const irrelevantGrades = (count: number) => Array<number>(count).fill(0);

test('results are noise below the first score at which one in twenty is right', () => {
  const scoredGrades = [
    ...results(0.2, [1, ...irrelevantGrades(99)]),
    ...results(0.4, [1, ...irrelevantGrades(9)]),
    ...results(0.6, [2]),
  ];
  expect(findNoiseThreshold(scoredGrades)).toBe(0.4);
});

test('a lucky low score does not end the noise: adjacent violators are pooled', () => {
  expect(findNoiseThreshold([...results(0.1, [2]), ...results(0.2, irrelevantGrades(99)), ...results(0.3, [2])])).toBe(
    0.3,
  );
});

test('no result is noise if even the lowest scores are right often enough, and all are noise if none is right', () => {
  expect(findNoiseThreshold(results(0.2, [1, 0]))).toBe(0);
  expect(findNoiseThreshold(results(0.2, irrelevantGrades(3)))).toBe(1);
});
