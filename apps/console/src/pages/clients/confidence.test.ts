import { expect, it } from 'vitest';
import { confidenceOf } from './confidence.ts';

it.each([
  [1, 'very'],
  [0.8, 'very'],
  [0.79, 'probably'],
  [0.5, 'probably'],
  [0.49, 'perhaps'],
  [0.25, 'perhaps'],
  [0.24, 'hardly'],
  [0.1, 'hardly'],
] as const)('a score of %s is %s', (score, confidence) => {
  expect(confidenceOf(score)).toBe(confidence);
});
