import type { Instant } from '../instant.ts';

/** Time. */
export interface Clock {
  /** Wall-clock time. It may jump when the machine's clock is set. */
  now(): Instant;
  /** Milliseconds since an arbitrary point in time; never decreases. */
  monotonic(): number;
}
