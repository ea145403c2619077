import { PorticoError, type IdentityClaims, type Instant } from '@portico/domain';

/** Whom tokens must come from, and whom they must be for. */
export interface TokenRules {
  /** `iss`, to the letter. */
  readonly issuer: string;
  /** `aud`, to the letter. */
  readonly audience: string;
}

/** Asymmetric alone: where a key is public, a symmetric algorithm would let anyone sign (RFC 8725, section 2.1). */
export const tokenAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

export interface TokenHeader {
  readonly algorithm: TokenAlgorithm;
  /** `kid`; null where the token names no key. */
  readonly keyId: string | null;
}

/** What a token says, and from when on (inclusive) until when (exclusive) it is good. */
export interface JudgedClaims {
  readonly identity: IdentityClaims;
  readonly from: Instant;
  readonly until: Instant;
}

/** In characters, all of them ASCII in a good token; a longer one is `invalid_token`. */
export const tokenMaxLength = 8_192;
/** How far the issuer's clock may be from ours. */
export const skewMs = 60_000;
/** In code points, as registration counts a `firebase_uid`. */
export const subjectMaxLength = 128;

/** The reason is its cause alone, for the log: whoever sent the token is told the code and nothing of it. */
export const invalidToken = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_token', { cause: new Error(because, { cause }) });

const keyIdForm = /^[A-Za-z0-9._~+/=-]{1,128}$/;

/** By these a token would name its own key, or ask for a reading of its own (RFC 8725, section 3.10; RFC 7797). */
const forbiddenHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'zip'];

/** The header of a token in compact form (RFC 7515, section 7.1), nothing of which is proven yet. Throws `invalid_token`. */
export const readHeader = (token: string): TokenHeader => {
  if (token.length > tokenMaxLength) throw invalidToken('the token is too long');
  const parts = token.split('.');
  const [encoded] = parts;
  if (!encoded || parts.length !== 3 || !parts.every(isBase64url)) {
    throw invalidToken('the token has not three parts in base64url');
  }
  const header = parseObject(Buffer.from(encoded, 'base64url'));
  const forbidden = forbiddenHeaders.find((name) => header[name] !== undefined);
  if (forbidden) throw invalidToken(`the token has the header ${forbidden}`);
  const { typ, alg, kid } = header;
  if (typ !== undefined && !(typeof typ === 'string' && typ.toUpperCase() === 'JWT')) {
    throw invalidToken('the token is of another type');
  }
  const algorithm = tokenAlgorithms.find((known) => known === alg);
  if (!algorithm) throw invalidToken('the token is signed by an algorithm that is not allowed');
  if (kid === undefined) return { algorithm, keyId: null };
  if (typeof kid !== 'string' || !keyIdForm.test(kid)) throw invalidToken('the token names its key in a strange way');
  return { algorithm, keyId: kid };
};

/** Not empty, and spelt in the one way that an encoder does, which Node's decoder does not insist on. */
const isBase64url = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

/** The claims of a payload whose signature was found good. Throws `invalid_token` for what no time would make good. */
export const judgeClaims = (payload: Uint8Array, { issuer, audience }: TokenRules): JudgedClaims => {
  const claims = parseObject(payload);
  if (claims.iss !== issuer) throw invalidToken('the token is of another issuer');
  if (!isFor(audience, claims)) throw invalidToken('the token is for another audience');
  if (claims.events !== undefined) throw invalidToken('the token tells of events, such as a logout');
  return { identity: identityOf(issuer, claims), ...goodWithin(claims) };
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
    throw invalidToken('a part of the token is no object');
  }
  return value as Claims;
};

/** Of several audiences the token must say that it was issued to ours (OpenID Connect Core 1.0, section 3.1.3.7). */
const isFor = (audience: string, { aud, azp }: Claims): boolean => {
  if (!Array.isArray(aud)) return aud === audience;
  return aud.includes(audience) && (aud.length === 1 || azp === audience);
};

/** How long an issuer makes its tokens last is its own affair: there is no longest time from `iat` to `exp`. */
const goodWithin = ({ exp, nbf, iat, auth_time: authTime }: Claims): { from: Instant; until: Instant } => {
  const end = secondsOf('exp', exp);
  if (end === null) throw invalidToken('the token has no end');
  const begins = [secondsOf('iat', iat), secondsOf('nbf', nbf), secondsOf('auth_time', authTime)];
  return { from: Math.max(...begins.map((begin) => begin ?? 0)) * 1_000 - skewMs, until: end * 1_000 + skewMs };
};

/** A NumericDate (RFC 7519, section 2); null where the claim is absent. */
const secondsOf = (name: string, value: unknown): number | null => {
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalidToken(`${name} is no number of seconds`);
  return value;
};

/** `email_verified` comes as a text from some providers (Sign in with Apple, Amazon Cognito). */
const identityOf = (issuer: string, { sub, email = null, email_verified: verified }: Claims): IdentityClaims => {
  if (typeof sub !== 'string' || !isSubject(sub)) throw invalidToken('the subject is no text that could be kept');
  if (email !== null && typeof email !== 'string') throw invalidToken('the e-mail is no text');
  return {
    issuer,
    uid: sub,
    email: email?.trim().toLowerCase() || null,
    emailVerified: verified === true || verified === 'true',
  };
};

/** 1 to 128 characters that every database can store. */
export const isSubject = (sub: string): boolean =>
  sub !== '' && [...sub].length <= subjectMaxLength && sub.isWellFormed() && !sub.includes('\0');
