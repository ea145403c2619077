import { expect, test } from 'vitest';
import { describeConfidence } from './confidence.ts';

test.each([
  [1, /very likely/],
  [0.8, /very likely/],
  [0.79, /probably/],
  [0.5, /probably/],
  [0.49, /Not sure/],
  [0.25, /Not sure/],
  [0.24, /No good match/],
  [0, /No good match/],
])('the text for a first result with the score %d matches %s', (score, sentence) => {
  expect(describeConfidence(score)).toMatch(sentence);
});
