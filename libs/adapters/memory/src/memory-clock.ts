import type { Clock, Instant } from '@portico/domain';

/** A clock that stands still until it is advanced or set. */
export interface MemoryClock extends Clock {
  /** Lets time pass: both the wall clock and the monotonic clock advance. */
  advance(milliseconds: number): void;
  /** Sets the machine's clock: the wall clock jumps, forwards or back, and no time passes. */
  set(instant: Instant): void;
}

/** Starts the wall clock at `start` and the monotonic clock at 0. */
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
