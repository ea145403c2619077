import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';
import type { Log } from '@portico/dependencies';
import type { Clock, TokenVerifier } from '@portico/domain';
import { createJwtVerifier } from './jwt-verifier.ts';
import { readKeySet } from './key-set.ts';
import { isSubject } from './token-rules.ts';

/** The claims of a token from the local issuer. */
export interface LocalTokenClaims {
  /** The `sub` claim: 1 to 128 characters. */
  readonly uid: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
  /** The user's groups, for the configured groups claim. Passing groups is an error if no such claim is configured. */
  readonly groups?: readonly string[];
  /** The client's `nonce`, copied from its authorization request (OpenID Connect Core, section 2). */
  readonly nonce?: string;
  /** The lifetime from now, in whole seconds; with 0 or less, the token has already expired. */
  readonly ttlSeconds: number;
}

/** An issuer of identity tokens that is built into the service, for development and evaluation. */
export interface LocalIssuer {
  /** Mints a token that `verifier` accepts until it expires. Rejects with a RangeError if the claims are invalid. */
  mint(claims: LocalTokenClaims): Promise<string>;
  /**
   * A verifier that accepts only this issuer's tokens, by the same rules as for any other issuer, without HTTP
   * requests.
   */
  readonly verifier: TokenVerifier;
  /** Returns the public half of the issuer's key (RFC 7517). */
  getKeySet(): { readonly keys: readonly JWK[] };
  /** Returns the issuer's discovery document, with URLs below `baseUrl`. */
  createDiscoveryDocument(baseUrl: string): Readonly<Record<string, string | readonly string[]>>;
}

/**
 * The issuer's name. It cannot be resolved (RFC 2606, section 2), so tokens remain valid if the service's URL
 * changes.
 */
export const localIssuerName = 'https://local-issuer.portico.invalid';
/** The `aud` claim of the issuer's tokens. */
export const localAudience = 'portico';

const algorithm = 'ES256';

/** Generates a key for a local issuer: a private JWK as text, to be stored in a file that only its owner can read. */
export const makeLocalIssuerKey = async (): Promise<string> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return `${JSON.stringify(await exportJWK(privateKey))}\n`;
};

/**
 * Creates the issuer with a key from `makeLocalIssuerKey`. Rejects if the text is not such a key, without quoting it.
 */
export const createLocalIssuer = async ({
  key,
  clock,
  groupsClaim = null,
  log,
}: {
  readonly key: string;
  readonly clock: Pick<Clock, 'now'>;
  /** The name of the claim for a user's groups; null (the default) if there is none. */
  readonly groupsClaim?: string | null;
  readonly log?: Pick<Log, 'warn'>;
}): Promise<LocalIssuer> => {
  const { sign, publicJwk } = await readKeyPair(key);
  const keySet = { keys: [publicJwk] };
  const set = await readKeySet(JSON.stringify(keySet));
  const keys = { getCurrent: async () => set, findNewer: async () => null };
  return {
    async mint(claims) {
      assertMintable(claims, groupsClaim);
      return sign(tokenOf(claims, groupsClaim, clock.now()));
    },
    verifier: {
      ...createJwtVerifier({
        issuer: localIssuerName,
        audience: localAudience,
        groupsClaim,
        clock,
        keys,
        ...(log ? { log } : {}),
      }),
      // This issuer has only identity tokens.
      readUserInfo: async () => null,
    },
    getKeySet: () => keySet,
    createDiscoveryDocument: (baseUrl) => discoveryDocumentOf(baseUrl.replace(/\/$/, '')),
  };
};

/** Returns the discovery document (OpenID Connect Discovery, section 3). */
const discoveryDocumentOf = (base: string): Readonly<Record<string, string | readonly string[]>> => ({
  issuer: localIssuerName,
  authorization_endpoint: `${base}/local-issuer/authorize`,
  token_endpoint: `${base}/local-issuer/token`,
  jwks_uri: `${base}/.well-known/jwks.json`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  scopes_supported: ['openid', 'email'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [algorithm],
});

const assertMintable = ({ uid, groups, ttlSeconds }: LocalTokenClaims, groupsClaim: string | null): void => {
  if (!isSubject(uid)) throw new RangeError('uid must have 1 to 128 characters that can be stored');
  if (groups && groupsClaim === null)
    throw new RangeError('groups require the name of their claim: set IDENTITY_GROUPS_CLAIM, for example to groups');
  if (!Number.isSafeInteger(ttlSeconds)) throw new RangeError('ttlSeconds must be a whole number');
};

const tokenOf = (
  { uid, email, emailVerified, groups, nonce, ttlSeconds }: LocalTokenClaims,
  groupsClaim: string | null,
  now: number,
): SignJWT => {
  const nowSeconds = Math.floor(now / 1_000);
  const claims = {
    ...(email === undefined ? {} : { email }),
    ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
    ...(nonce === undefined ? {} : { nonce }),
    // The verifier looks up the whole name first, so the name may contain dots.
    ...(groups && groupsClaim !== null ? { [groupsClaim]: [...groups] } : {}),
  };
  return new SignJWT(claims)
    .setIssuer(localIssuerName)
    .setAudience(localAudience)
    .setSubject(uid)
    .setIssuedAt(Math.min(nowSeconds, nowSeconds + ttlSeconds))
    .setExpirationTime(nowSeconds + ttlSeconds);
};

interface KeyPair {
  readonly sign: (token: SignJWT) => Promise<string>;
  readonly publicJwk: JWK;
}

const readKeyPair = async (text: string): Promise<KeyPair> => {
  try {
    return await parseKeyPair(text);
  } catch {
    // There is no cause, because the parser's error may quote the private key.
    throw new Error('This is not a local issuer key (a private JWK on P-256)');
  }
};

const parseKeyPair = async (text: string): Promise<KeyPair> => {
  const { kty, crv, x, y, d } = JSON.parse(text) as JWK;
  if (kty !== 'EC' || crv !== 'P-256' || !x || !y || !d) throw new Error('It is not a private key on P-256');
  const key = await importJWK({ kty, crv, x, y, d }, algorithm);
  const kid = await calculateJwkThumbprint({ kty, crv, x, y });
  return {
    sign: (token) => token.setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' }).sign(key),
    publicJwk: { kty, crv, x, y, kid, alg: algorithm, use: 'sig' },
  };
};
