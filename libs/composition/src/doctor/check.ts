import type { Config } from '../config.ts';
import type { Examination } from './examination.ts';

/** `skipped`: the check did not run, because another check failed or it does not apply to the configuration. */
export type FindingState = 'ok' | 'warning' | 'wrong' | 'skipped';

/** The result of a check. Contains no secret. */
export interface Finding {
  readonly state: FindingState;
  /** The result, in one or two sentences. */
  readonly message: string;
  /** What to do; null if there is nothing to do. */
  readonly advice: string | null;
}

/** One row of the doctor's table. */
export interface Check {
  /** A stable id, because scripts refer to it. */
  readonly id: string;
  /** The checks that must be neither wrong nor skipped for this check to run. */
  readonly needs: readonly string[];
  /** Further checks of this kind, depending on the configuration. */
  readonly listExtraNeeds?: (config: Config) => readonly string[];
  /** The reason why the check does not apply to the configuration, or null. Called only for a valid configuration. */
  readonly findSkipReason?: (config: Config) => string | null;
  /** Runs the check without changing anything. If it throws, the finding is `wrong`. */
  readonly execute: (examination: Examination) => Findings | Promise<Findings>;
  /** What to do if the check throws or times out. */
  readonly advice: string;
}

/** One or more findings; never empty. */
export type Findings = Finding | readonly Finding[];

export const pass = (message: string): Finding => ({ state: 'ok', message, advice: null });
export const warn = (message: string, advice: string): Finding => ({ state: 'warning', message, advice });
export const fail = (message: string, advice: string): Finding => ({ state: 'wrong', message, advice });
export const skip = (message: string): Finding => ({ state: 'skipped', message, advice: null });
