import { hash } from 'node:crypto';
import { compactVerify, errors, type CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Log } from '@portico/dependencies';
import { claimedGroupsMax, type Clock, type IdentityClaims, type TokenUse, type TokenVerifier } from '@portico/domain';
import type { KeySet, KeySource } from './key-set.ts';
import {
  invalidToken,
  judgeClaims,
  readHeader,
  tokenAlgorithms,
  tokenMaxLength,
  type JudgedClaims,
  type TokenHeader,
  type TokenKind,
  type TokenRules,
} from './token-rules.ts';

export interface JwtVerifierOptions extends TokenRules {
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: KeySource;
  /** Says once if a token names too many groups. */
  readonly log?: Pick<Log, 'warn'>;
}

interface Remembered extends JudgedClaims {
  readonly header: TokenHeader;
  /** The generation of the key set that verified the signature. */
  readonly generation: string;
}

const rememberedMax = 10_000;

/** The kinds of token that each use takes. */
const kindsFor = {
  identity: ['identity'],
  'identity or access': ['identity', 'access'],
} as const satisfies Record<TokenUse, readonly TokenKind[]>;

/**
 * Verifies tokens with their issuer's keys. Caches verified signatures by the token's digest, never the token itself,
 * until the key set changes; checks the time and the use at every call.
 */
export const createJwtVerifier = ({ clock, keys, log, ...rules }: JwtVerifierOptions): TokenVerifier => {
  const remembered = new LRUCache<string, Remembered>({ max: rememberedMax });
  let saidCut = false;
  const sayCut = ({ isCut, identity: { uid } }: JudgedClaims): void => {
    if (!isCut || saidCut) return;
    saidCut = true;
    log?.warn(
      { uid },
      `A token names more than ${claimedGroupsMax} groups: the first ${claimedGroupsMax} by name count. Let the identity provider ` +
        'send only the groups of this application. This is said once.',
    );
  };
  return {
    async verify(token, use = 'identity') {
      if (token.length > tokenMaxLength) throw invalidToken('the token is too long');
      const digest = hash('sha256', token, 'base64');
      const known = remembered.get(digest);
      // Malformed tokens fail before any key is needed, so they are invalid even while there are no keys.
      const header = known?.header ?? readHeader(token);
      refuseOtherKinds(header, use);
      const set = await keys.current();
      if (known?.generation === set.generation) return identityAt(known, use, clock.now());
      const { key, generation } = await keyFor(header, set, keys);
      const judged = judgeClaims(await verifiedPayload(token, key), header, rules);
      const identity = identityAt(judged, use, clock.now());
      sayCut(judged);
      remembered.set(digest, { ...judged, header, generation });
      return identity;
    },
  };
};

const refuseOtherKinds = ({ kinds }: { readonly kinds: readonly TokenKind[] }, use: TokenUse): void => {
  const taken: readonly TokenKind[] = kindsFor[use];
  if (!kinds.some((kind) => taken.includes(kind))) throw invalidToken('the token is for another use');
};

const identityAt = (judged: JudgedClaims, use: TokenUse, now: number): IdentityClaims => {
  const { identity, from, until } = judged;
  refuseOtherKinds(judged, use);
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
