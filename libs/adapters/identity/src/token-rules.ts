import { PorticoError, type IdentityClaims, type Instant } from '@portico/domain';
import { groupsOf } from './groups-claim.ts';

/** Who must have issued a token, and for whom. */
export interface TokenRules {
  /** The exact `iss`. */
  readonly issuer: string;
  /** The exact `aud` of an identity token, or each that it may have: one for each application that people sign in to. */
  readonly audience: string | readonly string[];
  /** What the `aud` of an access token contains one of; none by default, and then no access token is valid. */
  readonly accessAudiences?: readonly string[];
  /** The claim that names groups: its name, or a path of names joined by dots; null or absent for none. */
  readonly groupsClaim?: string | null;
  /** The clients whose tokens are taken; all of them if absent or empty. */
  readonly authorizedParties?: readonly string[];
}

/** Only asymmetric ones: with a public key, a symmetric algorithm would let anyone sign (RFC 8725, section 2.1). */
export const tokenAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** Identity tokens are for the application that a user signs in to, access tokens for the service that it calls. */
export type TokenKind = 'identity' | 'access';

export interface TokenHeader {
  /** What the token may be by its `typ`: `at+jwt` is an access token alone (RFC 9068, section 2.1). */
  readonly kinds: readonly TokenKind[];
  readonly algorithm: TokenAlgorithm;
  /** `kid`; null if absent. */
  readonly keyId: string | null;
}

/** What a token claims, and when it is valid: from `from` (inclusive) until `until` (exclusive). */
export interface JudgedClaims {
  /** What the token is by its type and its audience: one or both. */
  readonly kinds: readonly TokenKind[];
  readonly identity: IdentityClaims;
  readonly from: Instant;
  readonly until: Instant;
  /** Whether the token names more groups than are taken. */
  readonly isCut: boolean;
}

/** In characters, all ASCII in a valid token; a longer one is `invalid_token`. */
export const tokenMaxLength = 8_192;
/** Tolerated difference between the issuer's clock and ours. */
export const skewMs = 60_000;
/** In code points, as registration counts a `firebase_uid`. */
export const subjectMaxLength = 128;

/** The reason is only in the cause, for the log: the sender of the token just gets the code. */
export const invalidToken = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_token', { cause: new Error(because, { cause }) });

const keyIdForm = /^[A-Za-z0-9._~+/=-]{1,128}$/;

/** With these a token would supply its own key, or change how it is read (RFC 8725, section 3.10; RFC 7797). */
const forbiddenHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'zip'];

/** Parses the header of a compact token (RFC 7515, section 7.1); nothing is verified yet. Throws `invalid_token`. */
export const readHeader = (token: string): TokenHeader => {
  if (token.length > tokenMaxLength) throw invalidToken('the token is too long');
  const parts = token.split('.');
  const [encoded] = parts;
  if (!encoded || parts.length !== 3 || !parts.every(isBase64url)) {
    throw invalidToken('the token does not have three parts in base64url');
  }
  const header = parseObject(Buffer.from(encoded, 'base64url'));
  const forbidden = forbiddenHeaders.find((name) => header[name] !== undefined);
  if (forbidden) throw invalidToken(`the token has the header ${forbidden}`);
  const { typ, alg, kid } = header;
  const kinds = kindsByType(typ);
  const algorithm = tokenAlgorithms.find((known) => known === alg);
  if (!algorithm) throw invalidToken('the token is signed by an algorithm that is not allowed');
  if (kid === undefined) return { kinds, algorithm, keyId: null };
  if (typeof kid !== 'string' || !keyIdForm.test(kid)) throw invalidToken('the token has a malformed key id');
  return { kinds, algorithm, keyId: kid };
};

/** Most providers call both kinds a `JWT`, or name no type, as Okta does. Media types are in any case (RFC 2045). */
const kindsByType = (typ: unknown): readonly TokenKind[] => {
  if (typ === undefined) return ['identity', 'access'];
  switch (typeof typ === 'string' ? typ.toLowerCase() : null) {
    case 'jwt':
      return ['identity', 'access'];
    case 'at+jwt':
    case 'application/at+jwt':
      return ['access'];
    default:
      throw invalidToken('the token is of another type');
  }
};

/** Not empty, and in canonical encoding, which Node's decoder does not require. */
const isBase64url = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

/** Judges the claims of a verified payload. Throws `invalid_token` if they are invalid at any time and for any use. */
export const judgeClaims = (payload: Uint8Array, header: TokenHeader, rules: TokenRules): JudgedClaims => {
  const claims = parseObject(payload);
  if (claims.iss !== rules.issuer) throw invalidToken('the token is from another issuer');
  const forUs = header.kinds.filter((kind) => audienceRules[kind](claims, rules));
  if (forUs.length === 0) throw invalidToken('the token is for another audience');
  const kinds = forUs.filter((kind) => isOfAuthorizedParty(kind, claims, rules));
  if (kinds.length === 0) throw invalidToken('the token was issued to a client that is not accepted');
  if (claims.events !== undefined) throw invalidToken('the token reports events, such as a logout');
  const { names, isAbsent, isCut } = groupsOf(claims, rules.groupsClaim ?? null);
  const within = goodWithin(claims);
  // Many providers put the claim into identity tokens alone: without it, an access token says nothing about groups.
  const isSilent = isAbsent && !kinds.includes('identity');
  const groups = names && !isSilent && within.issuedAt !== null ? { names, issuedAt: within.issuedAt } : null;
  const { from, until } = within;
  return { kinds, identity: { ...identityOf(rules.issuer, claims), groups }, from, until, isCut };
};

type Claims = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseObject = (bytes: Uint8Array): Claims => {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw invalidToken('a part of the token is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidToken('a part of the token is not an object');
  }
  return value as Claims;
};

/** With several audiences, an identity token must have been issued to ours (OpenID Connect Core 1.0, section 3.1.3.7). */
const isForApplication = ({ aud, azp }: Claims, { audience }: TokenRules): boolean => {
  const ours = [audience].flat();
  if (!Array.isArray(aud)) return ours.some((one) => aud === one);
  return ours.some((one) => aud.includes(one) && (aud.length === 1 || azp === one));
};

/**
 * One of the audiences must be ours (RFC 9068, section 4); `azp` is the client, whoever that is. A token that is bound
 * to a key (`cnf`, RFC 7800) is refused, because nobody here asks its bearer for a proof of that key.
 */
const isForService = ({ aud, cnf }: Claims, { accessAudiences = [] }: TokenRules): boolean =>
  cnf === undefined && [aud].flat().some((one) => accessAudiences.some((ours) => ours === one));

const audienceRules = { identity: isForApplication, access: isForService } as const satisfies Record<
  TokenKind,
  (claims: Claims, rules: TokenRules) => boolean
>;

/**
 * Each client that the token names as its own must be accepted: `azp`, and in access tokens also `client_id` (RFC 9068,
 * section 2.2). An identity token without either was issued to its audience (OpenID Connect Core 1.0, section 2), which
 * is ours; of an access token without either nobody knows the client.
 */
const isOfAuthorizedParty = (
  kind: TokenKind,
  { azp, client_id: clientId }: Claims,
  { authorizedParties = [] }: TokenRules,
): boolean => {
  if (authorizedParties.length === 0) return true;
  const parties = [azp, clientId].filter((party) => party !== undefined);
  if (parties.length === 0) return kind === 'identity';
  return parties.every((party) => authorizedParties.some((accepted) => accepted === party));
};

/** The issuer decides how long its tokens last: there is no limit on the time from `iat` to `exp`. */
const goodWithin = ({ exp, nbf, iat, auth_time: authTime }: Claims) => {
  const end = secondsOf('exp', exp);
  if (end === null) throw invalidToken('the token has no expiry');
  const issued = secondsOf('iat', iat);
  const begins = [issued, secondsOf('nbf', nbf), secondsOf('auth_time', authTime)];
  return {
    from: Math.max(...begins.map((begin) => begin ?? 0)) * 1_000 - skewMs,
    until: end * 1_000 + skewMs,
    issuedAt: issued === null ? null : Math.floor(issued * 1_000),
  };
};

/** A NumericDate (RFC 7519, section 2); null if absent. */
const secondsOf = (name: string, value: unknown): number | null => {
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalidToken(`${name} is not a number of seconds`);
  return value;
};

/** Some providers send `email_verified` as a string (Sign in with Apple, Amazon Cognito). */
const identityOf = (
  issuer: string,
  { sub, email = null, email_verified: verified }: Claims,
): Omit<IdentityClaims, 'groups'> => {
  if (typeof sub !== 'string' || !isSubject(sub)) throw invalidToken('the subject is not a text that can be stored');
  if (email !== null && typeof email !== 'string') throw invalidToken('the e-mail is not a text');
  return {
    issuer,
    uid: sub,
    email: email || null,
    emailVerified: verified === true || verified === 'true',
  };
};

/** 1 to 128 characters that every database can store. */
export const isSubject = (sub: string): boolean =>
  sub !== '' && [...sub].length <= subjectMaxLength && sub.isWellFormed() && !sub.includes('\0');
