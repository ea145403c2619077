import type { LimitRule } from './limits/limit.ts';

/** What of the configuration the use cases go by. */
export interface Settings {
  /** The issuers that are on: nobody can sign in by another one. */
  readonly issuers: readonly string[];
  /** How a first identity token must agree with the profile's e-mail to bind it (specification, section 2). */
  readonly identityEmailCheck: 'claimed' | 'verified' | 'off';
  /** Whether a registration needs a token that binds it, and is `invalid_token` without (specification, section 3). */
  readonly registrationRequiresToken: boolean;
  /** Whether admins are mailed of registrations that wait (specification, section 3). */
  readonly adminNotices: boolean;
  /** Whether violations of a document from the official JSON Schema are faults for every request. */
  readonly strictDocuments: boolean;
  /** For clients with neither an active override nor an active tier (specification, section 7). */
  readonly defaultLimit: LimitRule;
  /** Null where callers without valid credentials are not counted. */
  readonly anonymousLimit: LimitRule | null;
  /** Null where failed credentials are not counted apart. */
  readonly failedCredentialsLimit: LimitRule | null;
}
