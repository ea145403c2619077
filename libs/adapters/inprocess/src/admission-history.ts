import type { LimitRule } from '@portico/domain';

/**
 * Microseconds of the monotonic clock, in whole numbers, so that sums and differences of them are exact: who waits as
 * long as he was told is never refused by a rounding.
 */
export type Ticks = number;

export const ticksPerSecond = 1_000_000;

/** The longest window that a rule may have (specification, section 7). Nothing is remembered beyond it. */
export const windowSecondsMax = 2_678_400;

/** What a history comes to by one rule at one moment. */
export interface Judgement {
  /** Admissions within the window. */
  readonly counted: number;
  /** When the oldest of them was that is known; meaningless where there is none. */
  readonly oldestAt: Ticks;
  /** When one request more is admitted if none comes before; not later than now where one would be now. */
  readonly freeAt: Ticks;
}

/**
 * When a subject was admitted. Where it does not know exactly it holds an admission for later than it was, never for
 * earlier and never for none: then a request may be refused that could pass, but none passes that must be refused.
 *
 * A window is half-open: what is exactly as old as the window has left it.
 */
export interface AdmissionHistory {
  /** The window that it is made for where it counts by sub-windows; null where it judges by any. */
  readonly windowSeconds: number | null;
  readonly lastAdmittedAt: Ticks;
  /** What its typed arrays hold. */
  readonly byteLength: number;
  /** Whether it can judge by that rule as it is. */
  fits(rule: LimitRule): boolean;
  judge(now: Ticks, rule: LimitRule): Judgement;
  admit(now: Ticks): void;
  /** Admissions with the latest time at which they can have been, in ascending order of time. */
  admissions(): Iterable<Admissions>;
}

/** So many admissions, none of them later than that. */
export type Admissions = readonly [at: Ticks, count: number];
