import { setTimeout as pause } from 'node:timers/promises';
import { clockContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';

for (const [sentence, check] of Object.entries(clockContract)) {
  test(sentence, () => check({ clock: systemClock, pass: (milliseconds) => pause(milliseconds) }));
}

test('a turn lets callbacks of the event loop go first', async () => {
  let went = 0;
  setImmediate(() => (went += 1));
  await systemClock.turn();
  expect(went).toBe(1);
});

test('the wall clock is that of the machine', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
