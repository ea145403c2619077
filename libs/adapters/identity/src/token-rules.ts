import { PorticoError, type IdentityClaims, type Instant, type ReportedEmail } from '@portico/domain';
import { groupsOf } from './groups-claim.ts';

/** The rules for the issuer, audiences and client of a token. */
export interface TokenRules {
  /** The exact `iss` claim of a token. */
  readonly issuer: string;
  /**
   * The exact `aud` of an identity token, or the list of accepted values: one for each application that users sign in
   * to.
   */
  readonly audience: string | readonly string[];
  /** The `aud` of an access token must contain one of these. By default there are none, so no access token is valid. */
  readonly accessAudiences?: readonly string[];
  /** The claim that lists groups: its name, or a path of names joined by dots; null or absent if there is none. */
  readonly groupsClaim?: string | null;
  /** The clients whose tokens are accepted; all clients if absent or empty. */
  readonly authorizedParties?: readonly string[];
}

/**
 * The allowed algorithms, all asymmetric: with a symmetric algorithm, anyone could sign with the public key (RFC 8725,
 * section 2.1).
 */
export const tokenAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/**
 * The kind of a token. Identity tokens are for the application that a user signs in to; access tokens are for the
 * service that the application calls.
 */
export type TokenKind = 'identity' | 'access';

export interface TokenHeader {
  /**
   * The kinds that the `typ` header allows: a token of type `at+jwt` is only an access token (RFC 9068, section 2.1).
   */
  readonly kinds: readonly TokenKind[];
  readonly algorithm: TokenAlgorithm;
  /** The `kid` header; null if absent. */
  readonly keyId: string | null;
}

/** The claims of a token, which is valid from `from` (inclusive) to `until` (exclusive). */
export interface VerifiedClaims {
  /** The kinds that the token's type and audience allow: one or both. */
  readonly kinds: readonly TokenKind[];
  readonly identity: Omit<IdentityClaims, 'isAccessToken'>;
  readonly from: Instant;
  readonly until: Instant;
  /** Whether the token lists more groups than the limit. */
  readonly isTruncated: boolean;
  /** Whether the token lacks the claim that lists groups. */
  readonly lacksGroups: boolean;
}

/**
 * The maximum length of a token, in characters, which are all ASCII in a valid token. A longer token is rejected with
 * `invalid_token`.
 */
export const tokenMaxLength = 8_192;
/** The tolerated difference between the issuer's clock and ours. */
export const skewMs = 60_000;
/** The maximum length of `sub`, in code points, like the limit for a `firebase_uid` in a registration. */
export const subjectMaxLength = 128;

/**
 * Returns the error for an invalid token. The reason is only in the cause, for the log: the sender of the token
 * receives only the code.
 */
export const createInvalidTokenError = (reason: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_token', { cause: new Error(reason, { cause }) });

const keyIdPattern = /^[A-Za-z0-9._~+/=-]{1,128}$/;

/** Headers that let a token supply its own key or change its encoding (RFC 8725, section 3.10; RFC 7797). */
const forbiddenHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'zip'];

/** Parses the header of a compact token (RFC 7515, section 7.1) without verifying anything. Throws `invalid_token`. */
export const readHeader = (token: string): TokenHeader => {
  if (token.length > tokenMaxLength) throw createInvalidTokenError('the token is too long');
  const parts = token.split('.');
  const [encodedHeader] = parts;
  if (!encodedHeader || parts.length !== 3 || !parts.every(isBase64url)) {
    throw createInvalidTokenError('the token does not have three parts in base64url');
  }
  const header = parseObject(Buffer.from(encodedHeader, 'base64url'));
  const forbiddenHeader = forbiddenHeaders.find((name) => header[name] !== undefined);
  if (forbiddenHeader) throw createInvalidTokenError(`the token has the header ${forbiddenHeader}`);
  const { typ, alg, kid } = header;
  const kinds = kindsOfType(typ);
  const algorithm = tokenAlgorithms.find((candidate) => candidate === alg);
  if (!algorithm) throw createInvalidTokenError('the token is signed by an algorithm that is not allowed');
  if (kid === undefined) return { kinds, algorithm, keyId: null };
  if (typeof kid !== 'string' || !keyIdPattern.test(kid))
    throw createInvalidTokenError('the token has a malformed key id');
  return { kinds, algorithm, keyId: kid };
};

/**
 * Returns the kinds that a type allows. Most providers use `JWT` for both kinds, or no type at all, as Okta does. Media
 * types are case-insensitive (RFC 2045).
 */
const kindsOfType = (typ: unknown): readonly TokenKind[] => {
  if (typ === undefined) return ['identity', 'access'];
  switch (typeof typ === 'string' ? typ.toLowerCase() : null) {
    case 'jwt':
      return ['identity', 'access'];
    case 'at+jwt':
    case 'application/at+jwt':
      return ['access'];
    default:
      throw createInvalidTokenError('the token has a different type');
  }
};

/** Whether the text is a non-empty, canonical encoding. Node's decoder does not require this. */
const isBase64url = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

/**
 * Validates the claims of a verified payload. Throws `invalid_token` if they are invalid regardless of the time and
 * use.
 */
export const validateClaims = (payload: Uint8Array, header: TokenHeader, rules: TokenRules): VerifiedClaims => {
  const claims = parseObject(payload);
  if (claims.iss !== rules.issuer) throw createInvalidTokenError('the token is from a different issuer');
  const kindsForAudience = header.kinds.filter((kind) => audienceRules[kind](claims, rules));
  if (kindsForAudience.length === 0) throw createInvalidTokenError('the token is for a different audience');
  const kinds = kindsForAudience.filter((kind) => isIssuedToAuthorizedParty(kind, claims, rules));
  if (kinds.length === 0) throw createInvalidTokenError('the token was issued to a client that is not accepted');
  if (claims.events !== undefined) throw createInvalidTokenError('the token reports events, such as a logout');
  const { names, isAbsent, isTruncated } = groupsOf(claims, rules.groupsClaim ?? null);
  const validity = validityOf(claims);
  const groups = names && validity.issuedAt !== null ? { names, issuedAt: validity.issuedAt } : null;
  const { from, until } = validity;
  return {
    kinds,
    identity: { ...identityOf(rules.issuer, claims), groups },
    from,
    until,
    isTruncated,
    lacksGroups: isAbsent,
  };
};

type Claims = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseObject = (bytes: Uint8Array): Claims => {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw createInvalidTokenError('a part of the token is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw createInvalidTokenError('a part of the token is not an object');
  }
  return value as Claims;
};

/**
 * Whether an identity token is for one of our applications. If it has several audiences, it must have been issued to
 * one of ours (OpenID Connect Core 1.0, section 3.1.3.7).
 */
const isForApplication = ({ aud, azp }: Claims, { audience }: TokenRules): boolean => {
  const expectedAudiences = [audience].flat();
  if (!Array.isArray(aud)) return expectedAudiences.some((expectedAudience) => aud === expectedAudience);
  return expectedAudiences.some(
    (expectedAudience) => aud.includes(expectedAudience) && (aud.length === 1 || azp === expectedAudience),
  );
};

/**
 * Whether an access token is for this service: one of its audiences must be ours (RFC 9068, section 4). `azp` may be
 * any client. A token that is bound to a key (`cnf`, RFC 7800) is rejected, because this service does not ask the
 * bearer for a proof of possession.
 */
const isForService = ({ aud, cnf }: Claims, { accessAudiences = [] }: TokenRules): boolean =>
  cnf === undefined &&
  [aud].flat().some((tokenAudience) => accessAudiences.some((expectedAudience) => expectedAudience === tokenAudience));

const audienceRules = { identity: isForApplication, access: isForService } as const satisfies Record<
  TokenKind,
  (claims: Claims, rules: TokenRules) => boolean
>;

/**
 * Whether each client named in the token is accepted: `azp`, and in access tokens also `client_id` (RFC 9068, section
 * 2.2). An identity token without a client was issued to its audience (OpenID Connect Core 1.0, section 2), which is
 * ours. If an access token names no client, its client is unknown.
 */
const isIssuedToAuthorizedParty = (
  kind: TokenKind,
  { azp, client_id: clientId }: Claims,
  { authorizedParties = [] }: TokenRules,
): boolean => {
  if (authorizedParties.length === 0) return true;
  const parties = [azp, clientId].filter((party) => party !== undefined);
  if (parties.length === 0) return kind === 'identity';
  return parties.every((party) => authorizedParties.some((authorizedParty) => authorizedParty === party));
};

/**
 * Returns the period of validity. The issuer decides how long its tokens are valid: there is no limit on the time from
 * `iat` to `exp`.
 */
const validityOf = ({ exp, nbf, iat, auth_time: authTime }: Claims) => {
  const expirySeconds = secondsOf('exp', exp);
  if (expirySeconds === null) throw createInvalidTokenError('the token has no expiry');
  const issuedAtSeconds = secondsOf('iat', iat);
  const startSeconds = [issuedAtSeconds, secondsOf('nbf', nbf), secondsOf('auth_time', authTime)];
  return {
    from: Math.max(...startSeconds.map((seconds) => seconds ?? 0)) * 1_000 - skewMs,
    until: expirySeconds * 1_000 + skewMs,
    issuedAt: issuedAtSeconds === null ? null : Math.floor(issuedAtSeconds * 1_000),
  };
};

/** Parses a NumericDate (RFC 7519, section 2); null if absent. */
const secondsOf = (name: string, value: unknown): number | null => {
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw createInvalidTokenError(`${name} is not a number of seconds`);
  return value;
};

const identityOf = (issuer: string, claims: Claims): Omit<IdentityClaims, 'groups' | 'isAccessToken'> => {
  const { sub, email = null } = claims;
  if (typeof sub !== 'string' || !isSubject(sub))
    throw createInvalidTokenError('the subject is not a string that can be stored');
  if (email !== null && typeof email !== 'string') throw createInvalidTokenError('the email address is not a string');
  return { issuer, uid: sub, ...reportedEmailOf(claims) };
};

/**
 * Returns the email claims of a token or a UserInfo response. Some providers send `email_verified` as a string (Sign in
 * with Apple, Amazon Cognito).
 */
export const reportedEmailOf = ({ email, email_verified: isVerified }: Claims): ReportedEmail => ({
  email: typeof email === 'string' && email !== '' ? email : null,
  emailVerified: isVerified === true || isVerified === 'true',
});

/** Whether the text has 1 to 128 characters, all of which every database can store. */
export const isSubject = (sub: string): boolean =>
  sub !== '' && [...sub].length <= subjectMaxLength && sub.isWellFormed() && !sub.includes('\0');
