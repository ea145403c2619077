import { expect, test } from 'vitest';
import { retryDelayMs } from './retry-policy.ts';

test('the delay before a retry doubles up to its maximum', () => {
  expect([1, 2, 3].map((failures) => retryDelayMs('embed', failures))).toEqual([1_000, 2_000, 4_000]);
  expect(retryDelayMs('embed', 1_000)).toBe(300_000);
  expect(retryDelayMs('mail.credentials', 1)).toBe(30_000);
});

test('a mail job is given up after its last attempt; an embedding job is never given up', () => {
  expect(retryDelayMs('mail.credentials', 19)).not.toBeNull();
  expect(retryDelayMs('mail.credentials', 20)).toBeNull();
  expect(retryDelayMs('embed', 1_000_000)).not.toBeNull();
});

test('a webhook job waits 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, and is then given up', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((failures) => retryDelayMs('webhook', failures))).toEqual([
    5_000,
    300_000,
    1_800_000,
    7_200_000,
    18_000_000,
    36_000_000,
    null,
  ]);
});
