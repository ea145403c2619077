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
  /** Of the key set that the signature was verified by. */
  readonly generation: string;
}

const rememberedMax = 10_000;

/**
 * Verifies tokens by the keys of their issuer. That a signature is good is remembered by the digest of the token, never
 * by the token itself, for as long as the key set stays what it is; the time is looked at again at every call.
 */
export const createJwtVerifier = ({ issuer, audience, clock, keys }: JwtVerifierOptions): TokenVerifier => {
  const remembered = new LRUCache<string, Remembered>({ max: rememberedMax });
  return {
    async verify(token) {
      if (token.length > tokenMaxLength) throw invalidToken('the token is too long');
      const digest = createHash('sha256').update(token).digest('base64');
      const known = remembered.get(digest);
      // What is no token is told before any key is asked for, so that it is invalid also while there are none.
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
  if (now < from) throw invalidToken('the token is not good yet');
  if (now >= until) throw invalidToken('the token is no longer good');
  return identity;
};

/**
 * A token whose key the last good set lacks is invalid, also while the provider is away: that nothing can be told is said
 * only where there is no usable key at all (specification, section 2).
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
  if (!later || !laterKey) throw invalidToken('no key of the issuer is named so');
  return { key: laterKey, generation: later.generation };
};

const verifiedPayload = async (token: string, key: CryptoKey): Promise<Uint8Array> => {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [...tokenAlgorithms] });
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw invalidToken('the signature is not of this key', cause);
    throw cause;
  }
};
