import type { Instant } from '../instant.ts';

/** Time. */
export interface Clock {
  /** Returns the wall-clock time, which may jump when the machine's clock is set. */
  now(): Instant;
  /** Returns the milliseconds since an arbitrary point in time; never decreases. */
  monotonic(): number;
}
