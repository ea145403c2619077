import assert from 'node:assert/strict';
import type { Clock } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A clock, and a function that lets the clock's time pass. */
export interface ClockSubject {
  readonly clock: Clock;
  /** Resolves once at least this many milliseconds have passed. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

export const clockContract = {
  'the wall clock returns whole milliseconds that are a valid date': async ({ clock }) => {
    const now = clock.now();
    assert.ok(Number.isInteger(now), `${now} is not a whole number`);
    assert.ok(!Number.isNaN(new Date(now).getTime()), `${now} is not a date`);
  },

  'both clocks advance as time passes': async ({ clock, pass }) => {
    const before = { now: clock.now(), monotonic: clock.monotonic() };
    await pass(40);
    // A timer may fire slightly early, and the two clocks are not read at exactly the same time.
    assert.ok(clock.now() - before.now >= 30, 'the wall clock stood still');
    assert.ok(clock.monotonic() - before.monotonic >= 30, 'the monotonic clock stood still');
  },

  'monotonic time never goes backwards': async ({ clock, pass }) => {
    let last = clock.monotonic();
    for (let reading = 0; reading < 1000; reading++) {
      if (reading % 250 === 0) await pass(1);
      const next = clock.monotonic();
      assert.ok(next >= last, `${next} came after ${last}`);
      last = next;
    }
  },
} satisfies Contract<ClockSubject>;
