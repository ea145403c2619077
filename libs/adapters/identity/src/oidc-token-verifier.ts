import type { TokenVerifier } from '@portico/domain';
import { RemoteKeySet, type RemoteKeySetOptions } from './remote-key-set.ts';
import { createTokenMemo, digestOf } from './token-memo.ts';
import { verifyToken } from './verify-token.ts';

export interface OidcTokenVerifierOptions extends RemoteKeySetOptions {
  readonly audience: string;
}

export interface OidcTokenVerifier extends TokenVerifier {
  /** Ends a fetch that is under way. */
  close(): void;
}

/** Verifies the tokens of an OpenID Connect issuer. A token that was seen before costs a digest. */
export const createOidcTokenVerifier = (options: OidcTokenVerifierOptions): OidcTokenVerifier => {
  const keys = new RemoteKeySet(options);
  const memo = createTokenMemo();
  return {
    verify: async (token) => {
      await keys.ready();
      const now = options.clock.now();
      const digest = digestOf(token);
      const known = memo.find(digest, keys.generation, now);
      if (known) return known.claims;
      const verified = await verifyToken(token, keys.find, options, now);
      memo.keep(digest, keys.generation, verified);
      return verified.claims;
    },
    close: () => keys.close(),
  };
};
