import { PorticoError, type Clock, type IdentityClaims, type Json, type TokenVerifier } from '@portico/domain';

export interface MemoryTokenVerifier extends TokenVerifier {
  /** A token for these claims, good for so long: an hour by default. */
  mint(
    claims: {
      readonly uid: string;
      readonly email?: string;
      readonly emailVerified?: boolean;
      /** `memoryIssuer` by default. */
      readonly issuer?: string;
    },
    ttlSeconds?: number,
  ): string;
  /** A token of exactly these claims, good or not. */
  mintClaims(claims: Record<string, Json>): string;
  /** From now on no token can be judged, or it can again. */
  setAvailable(available: boolean): void;
}

/** What `iss` has to say by default; `mintClaims` adds nothing by itself. */
export const memoryIssuer = 'urn:portico:memory';
/** What `aud` has to say. */
export const memoryAudience = 'portico';

const secondMs = 1_000;
const skewMs = 60_000;
const tokenMaxLength = 8_192;

/** Understands `memory.` and the claims, unsigned: for tests alone, since anyone can write such a token. */
export const createMemoryTokenVerifier = ({
  clock,
  issuers = [memoryIssuer],
}: {
  readonly clock: Pick<Clock, 'now'>;
  /** Whose tokens are good. */
  readonly issuers?: readonly string[];
}): MemoryTokenVerifier => {
  let isAvailable = true;
  const mintClaims = (claims: Record<string, Json>): string =>
    `memory.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return {
    mint({ uid, email, emailVerified = false, issuer = memoryIssuer }, ttlSeconds = 3_600) {
      const exp = clock.now() / secondMs + ttlSeconds;
      const claims = { iss: issuer, aud: memoryAudience, sub: uid, exp, email_verified: emailVerified };
      return mintClaims(email === undefined ? claims : { ...claims, email });
    },
    mintClaims,
    setAvailable(available) {
      isAvailable = available;
    },
    async verify(token) {
      const claims = parse(token);
      if (!isAvailable) throw new PorticoError('identity_unavailable');
      const identity = claims && isForUs(claims, issuers) && isGoodAt(claims, clock.now()) ? identityOf(claims) : null;
      if (!identity) throw new PorticoError('invalid_token');
      return identity;
    },
  };
};

type Claims = Readonly<Record<string, unknown>>;

/** The claims that the token holds; null where they are no object. Throws `invalid_token` for what is no token. */
const parse = (token: string): Claims | null => {
  const [, payload] = /^memory\.([A-Za-z0-9_-]+)$/.exec(token) ?? [];
  if (payload === undefined || token.length > tokenMaxLength) throw new PorticoError('invalid_token');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? { ...claims } : null;
  } catch (cause) {
    throw new PorticoError('invalid_token', { cause });
  }
};

const isForUs = ({ iss, aud, azp }: Claims, issuers: readonly string[]): boolean => {
  if (!issuers.some((issuer) => issuer === iss)) return false;
  if (!Array.isArray(aud)) return aud === memoryAudience;
  return aud.includes(memoryAudience) && (aud.length === 1 || azp === memoryAudience);
};

const isGoodAt = ({ exp, nbf, iat }: Claims, now: number): boolean =>
  isSeconds(exp) && now < exp * secondMs + skewMs && hasBegun(nbf, now) && hasBegun(iat, now);

const hasBegun = (since: unknown, now: number): boolean =>
  since === undefined || (isSeconds(since) && since * secondMs - skewMs <= now);

const isSeconds = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Null where the subject is no text of 1 to 128 characters, or the e-mail no text. */
const identityOf = ({ iss, sub, email = null, email_verified: verified }: Claims): IdentityClaims | null => {
  if (typeof iss !== 'string' || typeof sub !== 'string' || !sub.isWellFormed() || sub.includes('\0')) return null;
  if (sub === '' || [...sub].length > 128) return null;
  if (email !== null && typeof email !== 'string') return null;
  return {
    issuer: iss,
    uid: sub,
    email: email?.trim().toLowerCase() || null,
    emailVerified: verified === true || verified === 'true',
  };
};
