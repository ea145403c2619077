import { expect, test } from 'vitest';
import { samplesOfPattern } from './pattern-samples.ts';

test.each([
  ['^[a-z]{2,3}$', 3],
  ['^a?b+c*$', 3],
  ['^(x|yz)-\\d{4}$', 2],
  ['^[^a-y]$', 2],
  ['^\\+?[1-9]\\d{1,14}$', 3],
  ['^(?:[A-F0-9]:){2}[A-F0-9]$', 2],
])('%s has at least %i samples, which all match', (pattern, count) => {
  const samples = samplesOfPattern(pattern);
  expect(samples.length).toBeGreaterThanOrEqual(count);
  for (const sample of samples) expect(sample).toMatch(new RegExp(pattern));
});

test.each(['^(?=a)b', '(a)\\1', '[', 'a'.repeat(1_001)])('%s has no samples, because it is not read', (pattern) => {
  expect(samplesOfPattern(pattern)).toEqual([]);
});
