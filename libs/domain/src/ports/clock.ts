import type { Instant } from '../instant.ts';

/** Time. */
export interface Clock {
  /** Wall-clock time. It may jump when the machine's clock is set. */
  now(): Instant;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number;
  /** Resolves once everything else that can go on has had its turn: long work asks for it every few milliseconds. */
  turn(): Promise<void>;
}
