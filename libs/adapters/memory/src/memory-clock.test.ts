import { clockContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createMemoryClock } from './memory-clock.ts';

test('setting a memory clock changes only its wall time', () => {
  const clock = createMemoryClock(1000);
  clock.advance(5);
  clock.set(200);
  expect([clock.now(), clock.monotonic()]).toEqual([200, 5]);
  clock.advance(5);
  expect([clock.now(), clock.monotonic()]).toEqual([205, 10]);
});

test('a memory clock cannot be advanced backwards', () => {
  const clock = createMemoryClock();
  expect(() => clock.advance(-1)).toThrow(RangeError);
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
});

for (const [sentence, check] of Object.entries(clockContract)) {
  test(sentence, () => {
    const clock = createMemoryClock();
    return check({ clock, wait: async (milliseconds) => clock.advance(milliseconds) });
  });
}
