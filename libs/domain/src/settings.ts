import type { LimitRule } from './limits/limit.ts';

/** The part of the configuration that the use cases need. */
export interface Settings {
  /** The enabled issuers: users cannot sign in through any other. */
  readonly issuers: readonly string[];
  /**
   * How the email in a first identity token must match the profile's for the token to bind the profile (specification,
   * section 2).
   */
  readonly identityEmailCheck: 'claimed' | 'verified' | 'off';
  /**
   * Whether a registration requires a token that binds it; without such a token, it fails with `invalid_token`
   * (specification, section 3).
   */
  readonly registrationRequiresToken: boolean;
  /** Whether admins receive emails about pending registrations (specification, section 3). */
  readonly adminNotices: boolean;
  /** The URL of the service for links in emails, without a trailing slash; null if not configured. */
  readonly publicUrl: string | null;
  /** Whether documents that violate the official JSON Schema are rejected in every request. */
  readonly strictDocuments: boolean;
  /** The limit for clients with neither an active override nor an active tier (specification, section 7). */
  readonly defaultLimit: LimitRule;
  /** The limit for callers without valid credentials; null if they are not counted. */
  readonly anonymousLimit: LimitRule | null;
  /** The limit for failed credentials; null if they are not counted separately. */
  readonly failedCredentialsLimit: LimitRule | null;
  /** The limit for the calls of each client; null if they are not counted separately. */
  readonly callLimit: LimitRule | null;
}
