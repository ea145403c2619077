import type { Instant } from '../instant.ts';

/** What a code is good for: to sign in by hand, to be exchanged after a sign-in, or to renew one. */
export type OneTimeCodePurpose = 'sign-in' | 'authorization' | 'refresh';

/** A code that works once, without the code itself. */
export interface OneTimeCode {
  /** SHA-256 of the code, in lower-case hexadecimal digits. */
  readonly digest: string;
  readonly purpose: OneTimeCodePurpose;
  /** What it stands for, as text of its owner's form. No secret, and at most a few kilobytes. */
  readonly payload: string;
  /** From then on it is worth nothing. */
  readonly expiresAt: Instant;
}

/** Codes that work once, for all processes on one database. */
export interface OneTimeCodeStore {
  /** Stores the code, and removes those that have expired by `now`. */
  put(code: OneTimeCode, now: Instant): Promise<void>;

  /**
   * Removes the code with that digest and purpose, and returns it: of concurrent calls exactly one gets it. Returns null
   * if there is none, or if it has expired by `now`. A code of another purpose stays.
   */
  take(digest: string, purpose: OneTimeCodePurpose, now: Instant): Promise<OneTimeCode | null>;
}
