import assert from 'node:assert/strict';
import type { Clock } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A clock, and a function that lets the clock's time pass. */
export interface ClockSubject {
  readonly clock: Clock;
  /** Resolves once at least this many milliseconds have passed. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

export const clockContract = {
  'the wall clock returns a valid date in whole milliseconds': async ({ clock }) => {
    const now = clock.now();
    assert.ok(Number.isInteger(now), `${now} is not a whole number`);
    assert.ok(!Number.isNaN(new Date(now).getTime()), `${now} is not a date`);
  },

  'both clocks advance as time passes': async ({ clock, wait }) => {
    const before = { now: clock.now(), monotonic: clock.monotonic() };
    await wait(40);
    // A timer may fire slightly early, and the two clocks are not read at exactly the same time.
    assert.ok(clock.now() - before.now >= 30, 'the wall clock did not advance');
    assert.ok(clock.monotonic() - before.monotonic >= 30, 'the monotonic clock did not advance');
  },

  'monotonic time never goes backwards': async ({ clock, wait }) => {
    let last = clock.monotonic();
    for (let index = 0; index < 1000; index++) {
      if (index % 250 === 0) await wait(1);
      const current = clock.monotonic();
      assert.ok(current >= last, `${current} came after ${last}`);
      last = current;
    }
  },
} satisfies Contract<ClockSubject>;
