import type { Instant } from '../instant.ts';

/** The purpose of a code: to sign in by hand, to be exchanged after a sign-in, or to refresh a sign-in. */
export type OneTimeCodePurpose = 'sign-in' | 'authorization' | 'refresh';

/** The record of a single-use code, without the code itself. */
export interface OneTimeCode {
  /** SHA-256 of the code, in lower-case hexadecimal. */
  readonly digest: string;
  readonly purpose: OneTimeCodePurpose;
  /**
   * The data that the code is exchanged for, in a format chosen by the caller. Contains no secret, and is at most a few
   * kilobytes.
   */
  readonly payload: string;
  /** When the code becomes invalid. */
  readonly expiresAt: Instant;
}

/** Single-use codes, for all processes on one database. */
export interface OneTimeCodeStore {
  /** Stores the code, and removes those that have expired by `now`. */
  put(code: OneTimeCode, now: Instant): Promise<void>;

  /**
   * Removes the code with that digest and purpose, and returns it: exactly one of several concurrent calls gets it.
   * Returns null if there is none, or if it has expired by `now`. Does not remove a code with a different purpose.
   */
  take(digest: string, purpose: OneTimeCodePurpose, now: Instant): Promise<OneTimeCode | null>;
}
