import type { Config } from '../config.ts';
import type { Examination } from './examination.ts';

/** `skipped`: nothing was asked, because another check failed or the configuration has no such thing. */
export type FindingState = 'ok' | 'warning' | 'wrong' | 'skipped';

/** What a check found. Holds no secret. */
export interface Finding {
  readonly state: FindingState;
  /** One or two sentences. */
  readonly said: string;
  /** What to do; null if there is nothing to do. */
  readonly advice: string | null;
}

/** One row of the doctor's table. */
export interface Check {
  /** Stable: scripts name it. */
  readonly id: string;
  /** The checks that must not be wrong or skipped before this one is of any use. */
  readonly needs: readonly string[];
  /** More of those, by configuration. */
  readonly alsoNeeds?: (config: Config) => readonly string[];
  /** Why the configuration gives it nothing to ask, or null; asked only if the configuration is valid. */
  readonly isIdle?: (config: Config) => string | null;
  /** Asks without changing anything. What it throws is a finding too: it is wrong. */
  readonly ask: (examination: Examination) => Answer | Promise<Answer>;
  /** What to do if it throws, or does not end in time. */
  readonly advice: string;
}

/** Never empty. */
export type Answer = Finding | readonly Finding[];

export const ok = (said: string): Finding => ({ state: 'ok', said, advice: null });
export const warning = (said: string, advice: string): Finding => ({ state: 'warning', said, advice });
export const wrong = (said: string, advice: string): Finding => ({ state: 'wrong', said, advice });
export const skipped = (said: string): Finding => ({ state: 'skipped', said, advice: null });
