import { expect, test } from 'vitest';
import { confidenceText } from './confidence.ts';

test.each([
  [1, /very likely/],
  [0.8, /very likely/],
  [0.79, /probably/],
  [0.5, /probably/],
  [0.49, /Not sure/],
  [0.25, /Not sure/],
  [0.24, /Nothing fits well/],
  [0, /Nothing fits well/],
])('a first result of %d is %s', (score, words) => {
  expect(confidenceText(score)).toMatch(words);
});
