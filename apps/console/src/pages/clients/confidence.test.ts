import { expect, it } from 'vitest';
import { confidenceOf } from './confidence.ts';

it.each([
  [1, 'high'],
  [0.8, 'high'],
  [0.79, 'medium'],
  [0.5, 'medium'],
  [0.49, 'low'],
  [0.25, 'low'],
  [0.24, 'minimal'],
  [0.1, 'minimal'],
] as const)('a score of %s means %s confidence', (score, confidence) => {
  expect(confidenceOf(score)).toBe(confidence);
});
