import { PorticoError, type IdentityClaims } from '@portico/domain';
import {
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type ProtectedHeaderParameters,
} from 'jose';

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
}

/** What a token was found to say, and until when it may be believed. */
export interface VerifiedToken {
  readonly claims: IdentityClaims;
  /** Milliseconds since 1970: `exp`, with the allowed skew of clocks. */
  readonly expiresAt: number;
}

const skewSeconds = 60;
const tokenBytesMax = 8_192;
const uidLengthMax = 128;
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** Headers by which a token would name its own key, or change how it is to be read (RFC 8725, section 3). */
const forbiddenHeaders = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip'] as const;

/**
 * Verifies an ID token (OpenID Connect Core, section 3.1.3.7; RFC 8725): signature by one of the issuer's keys with an
 * asymmetric algorithm, `iss`, `aud` and `azp`, `exp`, `nbf` and `iat` with at most 60 s of skew, `sub`. Raises `invalid_token`
 * for every departure; what `key` raises otherwise is passed on.
 */
export const verifyToken = async (
  token: string,
  key: JWTVerifyGetKey,
  rules: TokenRules,
  now: number,
): Promise<VerifiedToken> => {
  refuseOddHeader(token);
  const payload = await verifiedPayload(token, key, rules, now);
  refuseOddPayload(payload, rules, now);
  return {
    claims: {
      uid: payload.sub ?? '',
      email: typeof payload.email === 'string' && payload.email.trim() ? payload.email.trim().toLowerCase() : null,
      emailVerified: payload.email_verified === true,
    },
    expiresAt: ((payload.exp ?? 0) + skewSeconds) * 1_000,
  };
};

const invalid = (cause: unknown): PorticoError => new PorticoError('invalid_token', { cause });

const refuseOddHeader = (token: string): void => {
  if (token.length > tokenBytesMax) throw invalid('too long');
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch (error) {
    throw invalid(error);
  }
  const forbidden = forbiddenHeaders.find((name) => Object.hasOwn(header, name));
  if (forbidden) throw invalid(`header ${forbidden}`);
  // An access token or a logout token is no ID token, whoever signed it (RFC 8725, section 3.11).
  if (header.typ !== undefined && header.typ.toUpperCase() !== 'JWT') throw invalid('header typ');
};

const verifiedPayload = async (
  token: string,
  key: JWTVerifyGetKey,
  { issuer, audience }: TokenRules,
  now: number,
): Promise<JWTPayload> => {
  try {
    const verified = await jwtVerify(token, key, {
      algorithms,
      issuer,
      audience,
      clockTolerance: skewSeconds,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'sub'],
    });
    return verified.payload;
  } catch (error) {
    throw error instanceof errors.JOSEError || error instanceof TypeError ? invalid(error) : error;
  }
};

const refuseOddPayload = ({ sub, iat, aud, azp, events }: JWTPayload, { audience }: TokenRules, now: number): void => {
  const faults: [boolean, string][] = [
    [typeof sub !== 'string' || sub.length < 1 || sub.length > uidLengthMax, 'sub'],
    [iat !== undefined && (typeof iat !== 'number' || iat > now / 1_000 + skewSeconds), 'iat'],
    [Array.isArray(aud) && aud.length > 1 && azp !== audience, 'azp'],
    [azp !== undefined && azp !== audience, 'azp'],
    [events !== undefined, 'events'],
  ];
  const fault = faults.find(([holds]) => holds);
  if (fault) throw invalid(`claim ${fault[1]}`);
};
