import { setTimeout as pause } from 'node:timers/promises';
import { clockContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';

for (const [sentence, check] of Object.entries(clockContract)) {
  test(sentence, () => check({ clock: systemClock, wait: (milliseconds) => pause(milliseconds) }));
}

test('the wall clock returns the time of the machine', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
