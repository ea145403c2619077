import { expect, test } from 'vitest';
import { describeConfidence } from './confidence.ts';

const levels = [
  { from: 0.8, to: 1, sentence: /^The first result is probably right/ },
  { from: 0.5, to: 0.79, sentence: /^The first result is more likely right than not/ },
  { from: 0.25, to: 0.49, sentence: /^Not sure/ },
  { from: 0, to: 0.24, sentence: /^No good match/ },
];

test.each(levels)('the text for first results with scores from $from to $to matches $sentence', (level) => {
  expect(describeConfidence(level.from)).toMatch(level.sentence);
  expect(describeConfidence(level.to)).toMatch(level.sentence);
});

test.each(levels.slice(0, 3))('the share that the text names lies within the scores from $from to $to', (level) => {
  const [, right, total] = /about (\d) in (\d)/.exec(describeConfidence(level.from)) ?? [];
  const share = Number(right) / Number(total);
  expect(share).toBeGreaterThanOrEqual(level.from);
  expect(share).toBeLessThanOrEqual(level.to);
});
