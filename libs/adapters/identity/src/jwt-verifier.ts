import { createHash } from 'node:crypto';
import { compactVerify, errors, type CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock, IdentityClaims, TokenVerifier } from '@portico/domain';
import type { KeySet, KeySource } from './key-set.ts';
import {
  invalidToken,
  judgeClaims,
  readHeader,
  tokenAlgorithms,
  tokenMaxLength,
  type JudgedClaims,
  type TokenHeader,
  type TokenRules,
} from './token-rules.ts';

export interface JwtVerifierOptions extends TokenRules {
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: KeySource;
}

interface Remembered extends JudgedClaims {
  readonly header: TokenHeader;
  /** The generation of the key set that verified the signature. */
  readonly generation: string;
}

const rememberedMax = 10_000;

/**
 * Verifies tokens with their issuer's keys. Caches verified signatures by the token's digest, never the token itself,
 * until the key set changes; checks the time at every call.
 */
export const createJwtVerifier = ({ issuer, audience, clock, keys }: JwtVerifierOptions): TokenVerifier => {
  const remembered = new LRUCache<string, Remembered>({ max: rememberedMax });
  return {
    async verify(token) {
      if (token.length > tokenMaxLength) throw invalidToken('the token is too long');
      const digest = createHash('sha256').update(token).digest('base64');
      const known = remembered.get(digest);
      // Malformed tokens fail before any key is needed, so they are invalid even while there are no keys.
      const header = known?.header ?? readHeader(token);
      const set = await keys.current();
      if (known?.generation === set.generation) return identityAt(known, clock.now());
      const { key, generation } = await keyFor(header, set, keys);
      const judged = judgeClaims(await verifiedPayload(token, key), { issuer, audience });
      const identity = identityAt(judged, clock.now());
      remembered.set(digest, { ...judged, header, generation });
      return identity;
    },
  };
};

const identityAt = ({ identity, from, until }: JudgedClaims, now: number): IdentityClaims => {
  if (now < from) throw invalidToken('the token is not valid yet');
  if (now >= until) throw invalidToken('the token has expired');
  return identity;
};

/**
 * A token whose key the last good set lacks is invalid, even while the provider is away. Only without any usable key is
 * the outcome unknown (specification, section 2).
 */
const keyFor = async (
  header: TokenHeader,
  set: KeySet,
  keys: KeySource,
): Promise<{ readonly key: CryptoKey; readonly generation: string }> => {
  const key = set.find(header);
  if (key) return { key, generation: set.generation };
  const later = await keys.later(set);
  const laterKey = later?.find(header);
  if (!later || !laterKey) throw invalidToken('the issuer has no key with this id');
  return { key: laterKey, generation: later.generation };
};

const verifiedPayload = async (token: string, key: CryptoKey): Promise<Uint8Array> => {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [...tokenAlgorithms] });
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw invalidToken('the signature does not match the key', cause);
    throw cause;
  }
};
