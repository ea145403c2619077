import type { LimitRule } from '@portico/domain';

/**
 * Whole microseconds of the monotonic clock, so that sums and differences are exact: a subject that waits as long as
 * announced is never refused because of rounding.
 */
export type Ticks = number;

export const ticksPerSecond = 1_000_000;

/** The verdict of a history by one rule at one moment. */
export interface Judgement {
  /** Admissions within the window. */
  readonly counted: number;
  /** The time of the oldest known one; meaningless if there is none. */
  readonly oldestAt: Ticks;
  /** When one more request would be admitted if none comes before; `now` or earlier if at once. */
  readonly freeAt: Ticks;
}

/**
 * The admissions of a subject. A time that is not exact is later than the real one, never earlier, and no admission is
 * missing: a request may be refused that could pass, but none passes that must be refused.
 *
 * A window is half-open: an admission exactly as old as the window has left it.
 */
export interface AdmissionHistory {
  /** The window of its sub-windows; null if it can judge by any. */
  readonly windowSeconds: number | null;
  readonly lastAdmittedAt: Ticks;
  /** The size of its typed arrays. */
  readonly byteLength: number;
  /** Whether it can judge by that rule as it is. */
  fits(rule: LimitRule): boolean;
  judge(now: Ticks, rule: LimitRule): Judgement;
  admit(now: Ticks): void;
  /** Admissions with the latest time each can have had, in ascending order. */
  admissions(): Iterable<Admissions>;
}

/** A number of admissions, none later than `at`. */
export type Admissions = readonly [at: Ticks, count: number];
