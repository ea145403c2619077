import type { LimitRule } from './limits/limit.ts';

/** The part of the configuration that the use cases need. */
export interface Settings {
  /** The enabled issuers: users can sign in through no other. */
  readonly issuers: readonly string[];
  /** How the e-mail of a first identity token must match the profile's to bind it (specification, section 2). */
  readonly identityEmailCheck: 'claimed' | 'verified' | 'off';
  /**
   * Whether a registration requires a token that binds it; without one it fails with `invalid_token` (specification,
   * section 3).
   */
  readonly registrationRequiresToken: boolean;
  /** Whether admins receive mails about pending registrations (specification, section 3). */
  readonly adminNotices: boolean;
  /** The URL of the service for links in mails, without a trailing slash; null if not configured. */
  readonly publicUrl: string | null;
  /** Whether documents that violate the official JSON Schema are rejected in every request. */
  readonly strictDocuments: boolean;
  /** For clients with neither an active override nor an active tier (specification, section 7). */
  readonly defaultLimit: LimitRule;
  /** Null if callers without valid credentials are not counted. */
  readonly anonymousLimit: LimitRule | null;
  /** Null if failed credentials are not counted separately. */
  readonly failedCredentialsLimit: LimitRule | null;
}
