import type { Clock, Instant } from '@portico/domain';

/** A clock that stands still until it is advanced or set. */
export interface MemoryClock extends Clock {
  /** Advances both the wall clock and the monotonic clock. */
  advance(milliseconds: number): void;
  /** Sets the wall clock, forwards or backwards. The monotonic clock does not change. */
  set(instant: Instant): void;
}

/** Creates a clock whose wall clock starts at `start` and whose monotonic clock starts at 0. */
export const createMemoryClock = (start: Instant = Date.UTC(2026, 0, 1)): MemoryClock => {
  let wallTime = start;
  let elapsed = 0;
  return {
    now: () => wallTime,
    monotonic: () => elapsed,
    advance(milliseconds) {
      if (!(milliseconds >= 0)) throw new RangeError(`the clock cannot advance by ${milliseconds} ms`);
      wallTime += milliseconds;
      elapsed += milliseconds;
    },
    set(instant) {
      wallTime = instant;
    },
  };
};
