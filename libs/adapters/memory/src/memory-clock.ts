import type { Clock, Instant } from '@portico/domain';

/** A clock that stands still until it is told otherwise. */
export interface MemoryClock extends Clock {
  /** Time passes: the wall clock and the monotonic one go on together. */
  advance(milliseconds: number): void;
  /** Someone sets the machine's clock: the wall clock jumps, forwards or back, and no time passes. */
  set(instant: Instant): void;
}

/** Starts at that wall-clock time; the monotonic clock starts at 0. */
export const createMemoryClock = (start: Instant = Date.UTC(2026, 0, 1)): MemoryClock => {
  let wall = start;
  let passed = 0;
  return {
    now: () => wall,
    monotonic: () => passed,
    advance(milliseconds) {
      if (!(milliseconds >= 0)) throw new RangeError(`time cannot pass by ${milliseconds} ms`);
      wall += milliseconds;
      passed += milliseconds;
    },
    set(instant) {
      wall = instant;
    },
  };
};
