import { hash } from 'node:crypto';
import { compactVerify, errors, type CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Log } from '@portico/dependencies';
import { claimedGroupsMax, type Clock, type IdentityClaims, type TokenUse, type TokenVerifier } from '@portico/domain';
import type { KeySet, KeySource } from './key-set.ts';
import {
  createInvalidTokenError,
  validateClaims,
  readHeader,
  tokenAlgorithms,
  tokenMaxLength,
  type VerifiedClaims,
  type TokenHeader,
  type TokenKind,
  type TokenRules,
} from './token-rules.ts';

export interface JwtVerifierOptions extends TokenRules {
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: KeySource;
  /** Receives a single warning if a token lists too many groups. */
  readonly log?: Pick<Log, 'warn'>;
}

interface CachedClaims extends VerifiedClaims {
  readonly header: TokenHeader;
  /** The generation of the key set that verified the signature. */
  readonly generation: string;
}

const cacheMaxEntries = 10_000;

/** The kinds of token that are accepted for each use. */
const kindsFor = {
  identity: ['identity'],
  'identity or access': ['identity', 'access'],
} as const satisfies Record<TokenUse, readonly TokenKind[]>;

/**
 * Creates a verifier that uses the keys of the tokens' issuer. Caches verified claims by the token's digest, never the
 * token itself, until the key set changes; checks the time and the use on every call.
 */
export const createJwtVerifier = ({
  clock,
  keys,
  log,
  ...rules
}: JwtVerifierOptions): Pick<TokenVerifier, 'verify'> => {
  const cache = new LRUCache<string, CachedClaims>({ max: cacheMaxEntries });
  let hasWarned = false;
  const warnIfTruncated = ({ isTruncated, identity: { uid } }: VerifiedClaims): void => {
    if (!isTruncated || hasWarned) return;
    hasWarned = true;
    log?.warn(
      { uid },
      `A token names more than ${claimedGroupsMax} groups: only the first ${claimedGroupsMax} by name count. Configure the identity provider to ` +
        'send only the groups of this application. This is logged once.',
    );
  };
  return {
    async verify(token, use = 'identity') {
      if (token.length > tokenMaxLength) throw createInvalidTokenError('the token is too long');
      const digest = hash('sha256', token, 'base64');
      const cachedClaims = cache.get(digest);
      // Malformed tokens are rejected before any key is needed, so they are invalid even while there are no keys.
      const header = cachedClaims?.header ?? readHeader(token);
      assertUse(header, use);
      const set = await keys.getCurrent();
      if (cachedClaims?.generation === set.generation) return identityAt(cachedClaims, use, clock.now());
      const { key, generation } = await keyFor(header, set, keys);
      const claims = validateClaims(await verifyPayload(token, key), header, rules);
      const identity = identityAt(claims, use, clock.now());
      warnIfTruncated(claims);
      cache.set(digest, { ...claims, header, generation });
      return identity;
    },
  };
};

const assertUse = ({ kinds }: { readonly kinds: readonly TokenKind[] }, use: TokenUse): void => {
  const acceptedKinds: readonly TokenKind[] = kindsFor[use];
  if (!kinds.some((kind) => acceptedKinds.includes(kind)))
    throw createInvalidTokenError('the token is for a different use');
};

const identityAt = (claims: VerifiedClaims, use: TokenUse, now: number): IdentityClaims => {
  const { identity, from, until } = claims;
  assertUse(claims, use);
  if (now < from) throw createInvalidTokenError('the token is not valid yet');
  if (now >= until) throw createInvalidTokenError('the token has expired');
  const isAccessToken = use === 'identity or access' && claims.kinds.includes('access');
  // Many providers put the groups only into identity tokens, so their absence from an access token means nothing.
  const groups = isAccessToken && claims.lacksGroups ? null : identity.groups;
  return { ...identity, groups, isAccessToken };
};

/**
 * Returns the key that must have signed the token. A token is invalid if the last good set lacks this key, even while
 * the provider is unavailable. The outcome is unknown only if there is no usable key at all (specification, section 2).
 */
const keyFor = async (
  header: TokenHeader,
  set: KeySet,
  keys: KeySource,
): Promise<{ readonly key: CryptoKey; readonly generation: string }> => {
  const key = set.find(header);
  if (key) return { key, generation: set.generation };
  const newerSet = await keys.findNewer(set);
  const newerKey = newerSet?.find(header);
  if (!newerSet || !newerKey) throw createInvalidTokenError('the issuer has no key with this id');
  return { key: newerKey, generation: newerSet.generation };
};

const verifyPayload = async (token: string, key: CryptoKey): Promise<Uint8Array> => {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [...tokenAlgorithms] });
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw createInvalidTokenError('the signature does not match the key', cause);
    throw cause;
  }
};
