import type { Clock, TokenVerifier } from '@portico/domain';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWK,
} from 'jose';
import { createTokenMemo, digestOf } from './token-memo.ts';
import { verifyToken } from './verify-token.ts';

export interface LocalTokenClaims {
  readonly uid: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
  /** How long it is good from now; one of 0 or less has expired already. */
  readonly ttlSeconds: number;
}

/** The service as its own identity provider, for development and for trying out. */
export interface LocalIssuer {
  mint(claims: LocalTokenClaims): Promise<string>;
  /** Verifies the tokens of this issuer, by the rules of any other. */
  readonly verifier: TokenVerifier;
  /** The public half of its key (RFC 7517). */
  jwks(): object;
  /** Its discovery document, with the addresses under which the service serves it. */
  discovery(baseUrl: string): object;
}

/** Names the issuer wherever the service listens, and cannot be reached by anyone (RFC 2606, section 2). */
export const localIssuerName = 'https://local-issuer.portico.invalid';
export const localAudience = 'portico';

const algorithm = 'ES256';

/** A new key for a local issuer: the text of a private JWK, to be kept in a file. */
export const makeLocalIssuerKey = async (): Promise<string> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return JSON.stringify(await exportJWK(privateKey));
};

/** The issuer with this key, as `makeLocalIssuerKey` made it. */
export const createLocalIssuer = async ({
  key,
  clock,
}: {
  readonly key: string;
  readonly clock: Pick<Clock, 'now'>;
}): Promise<LocalIssuer> => {
  const privateJwk = JSON.parse(key) as JWK;
  const { kty, crv, x, y } = privateJwk;
  const kid = await calculateJwkThumbprint(privateJwk);
  const publicJwk = { kty, crv, x, y, kid, alg: algorithm, use: 'sig' } as JWK;
  const signingKey = await importJWK(privateJwk, algorithm);
  const keys = createLocalJWKSet({ keys: [publicJwk] });
  const memo = createTokenMemo();
  return {
    mint: ({ uid, email, emailVerified, ttlSeconds }) => {
      const issuedAt = Math.floor(clock.now() / 1_000);
      return new SignJWT(email === undefined ? {} : { email, email_verified: emailVerified ?? false })
        .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
        .setIssuer(localIssuerName)
        .setAudience(localAudience)
        .setSubject(uid)
        .setIssuedAt(Math.min(issuedAt, issuedAt + ttlSeconds))
        .setExpirationTime(issuedAt + ttlSeconds)
        .sign(signingKey);
    },
    verifier: {
      verify: async (token) => {
        const now = clock.now();
        const digest = digestOf(token);
        const known = memo.find(digest, 0, now);
        if (known) return known.claims;
        const verified = await verifyToken(token, keys, { issuer: localIssuerName, audience: localAudience }, now);
        memo.keep(digest, 0, verified);
        return verified.claims;
      },
    },
    jwks: () => ({ keys: [publicJwk] }),
    discovery: (baseUrl) => ({
      issuer: localIssuerName,
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [algorithm],
    }),
  };
};
