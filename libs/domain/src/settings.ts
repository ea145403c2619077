import type { LimitRule } from './limits/limit.ts';

/** The part of the configuration that the use cases need. */
export interface Settings {
  /** The enabled issuers: nobody can sign in through any other. */
  readonly issuers: readonly string[];
  /** How a first identity token must agree with the profile's e-mail to bind it (specification, section 2). */
  readonly identityEmailCheck: 'claimed' | 'verified' | 'off';
  /** Whether a registration needs a token that binds it; without one it is `invalid_token` (specification, section 3). */
  readonly registrationRequiresToken: boolean;
  /** Whether admins get mails about waiting registrations (specification, section 3). */
  readonly adminNotices: boolean;
  /** Where callers reach the service, without a slash at its end, for mails; null if that was not said. */
  readonly publicUrl: string | null;
  /** Whether documents that violate the official JSON Schema are refused in every request. */
  readonly strictDocuments: boolean;
  /** For clients with neither an active override nor an active tier (specification, section 7). */
  readonly defaultLimit: LimitRule;
  /** Null if callers without valid credentials are not counted. */
  readonly anonymousLimit: LimitRule | null;
  /** Null if failed credentials are not counted separately. */
  readonly failedCredentialsLimit: LimitRule | null;
}
