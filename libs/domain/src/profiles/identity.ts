import type { Instant } from '../instant.ts';
import type { Settings } from '../settings.ts';
import { isSameEmail } from './email.ts';
import type { Profile } from './profile.ts';

/** The groups in a token, and its time of issue. */
export interface GroupsClaim {
  /** Plain lines of 1 to 200 characters, sorted by code points, without duplicates, at most `claimedGroupsMax`. */
  readonly names: readonly string[];
  /** The `iat` claim, which determines the order of tokens. */
  readonly issuedAt: Instant;
}

export const claimedGroupsMax = 1_000;

/** The email address that an issuer reports for a user. */
export interface ReportedEmail {
  /** The claimed email; null if absent or empty. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** The claims of a valid token. */
export interface IdentityClaims extends ReportedEmail {
  /** The `iss` claim, exactly as in the token: the issuer that vouches for the subject. */
  readonly issuer: string;
  /** The `sub` claim: 1 to 128 characters. */
  readonly uid: string;
  /** Whether the token was verified for a use that accepts access tokens, and can be one. */
  readonly isAccessToken: boolean;
  /**
   * Null if the service does not use groups (`IDENTITY_GROUPS_CLAIM`), if the token has no time of issue, or if it is
   * an access token without the claim.
   */
  readonly groups: GroupsClaim | null;
}

/**
 * Whether a token with a profile's uid may bind the profile. Registration needs no credential, so anyone could have
 * registered this uid with a different email, or this email with a different uid (specification, section 2,
 * "Binding").
 */
export const canBind = (check: Settings['identityEmailCheck'], email: string, claims: ReportedEmail): boolean => {
  if (check === 'off') return true;
  const isSame = claims.email !== null && isSameEmail(claims.email, email);
  return isSame && (check === 'claimed' || claims.emailVerified);
};

/**
 * Whether an enabled issuer has vouched for this profile and the profile is not suspended. No issuer has vouched for an
 * unbound profile.
 */
export const canSignIn = (
  { issuers }: Pick<Settings, 'issuers'>,
  { issuer, suspendedAt }: Pick<Profile, 'issuer' | 'suspendedAt'>,
): boolean => issuer !== null && issuers.includes(issuer) && suspendedAt === null;
