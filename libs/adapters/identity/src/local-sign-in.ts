import { createHash } from 'node:crypto';
import type { Clock, Instant, OneTimeCodeStore, RandomSource } from '@portico/domain';
import { type AuthorizationRequest, grantedScopes, readAuthorizationRequest } from './authorization-request.ts';
import { localAudience, type LocalIssuer } from './local-issuer.ts';
import { createLocalCodes, type LocalUser } from './local-codes.ts';
import { formatCode, codeBytes, normalizeCode } from './one-time-code.ts';
import { readTokenRequest, type TokenError, type TokenRequest } from './token-request.ts';

/** The outcome of an authorization request. */
export type Authorization =
  /** The browser is redirected to the client, with a code or an error. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** The user has to enter a one-time code. `isCodeInvalid` is true if this attempt had a code that is not valid. */
  | { readonly kind: 'code required'; readonly isCodeInvalid: boolean }
  /** The error is shown to the user, because the client is unknown. */
  | { readonly kind: 'unknown client'; readonly reason: string };

/** The body of a successful token response (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3). */
export interface TokenSet {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** The local issuer's sign-in for browsers, with codes that work once, in any process that uses the same database. */
export interface LocalSignIn {
  /**
   * Returns a code that lets this user sign in once, before `until`. Rejects with a RangeError if no token can be
   * minted for this user.
   */
  invite(user: LocalUser, until: Instant): Promise<string>;
  /**
   * Handles an authorization request. `origin` is the origin that the caller used to reach the service; `code` is the
   * code that the user entered.
   */
  authorize(parameters: URLSearchParams, origin: string, code: string | null): Promise<Authorization>;
  /** Handles a token request. */
  exchange(form: URLSearchParams): Promise<TokenSet | TokenError>;
}

/** The lifetime of an authorization code, which bridges the time between two requests from one browser. */
const authorizationSeconds = 60;
const tokenSeconds = 3_600;
/** The duration of a sign-in. Afterwards, a new one-time code is required, regardless of renewals. */
const signInSeconds = 12 * 3_600;

interface Ports {
  readonly issuer: Pick<LocalIssuer, 'mint'>;
  readonly codes: OneTimeCodeStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<RandomSource, 'bytes'>;
}

export const createLocalSignIn = ({ issuer, codes, clock, random }: Ports): LocalSignIn => {
  const localCodes = createLocalCodes(codes, clock);
  const grant = async ({ redirectUri, state, nonce, challenge }: AuthorizationRequest, user: LocalUser) => {
    const code = createRandomToken(random);
    const payload = { user, clientId: localAudience, redirectUri, challenge, nonce };
    await localCodes.put(code, 'authorization', payload, clock.now() + authorizationSeconds * 1_000);
    return addQuery(redirectUri, { code, state });
  };

  /** Returns tokens for the user. The sign-in and all of its tokens expire at `until`. */
  const issueTokens = async (user: LocalUser, nonce: string | null, until: Instant): Promise<TokenSet> => {
    const ttlSeconds = Math.min(tokenSeconds, Math.ceil((until - clock.now()) / 1_000));
    const token = await issuer.mint({ ...user, ...(nonce === null ? {} : { nonce }), ttlSeconds });
    const refreshToken = createRandomToken(random);
    await localCodes.put(refreshToken, 'refresh', { user, clientId: localAudience }, until);
    return {
      // This is the same ID token: every endpoint accepts ID tokens, and this issuer has no other tokens. RFC 6749
      // requires an access token, and clients would send this one.
      access_token: token,
      token_type: 'Bearer',
      expires_in: ttlSeconds,
      id_token: token,
      refresh_token: refreshToken,
      scope: grantedScopes,
    };
  };

  const redeem = async (request: TokenRequest): Promise<TokenSet | TokenError> => {
    if (request.grant === 'refresh_token') {
      const refresh = await localCodes.take(request.token, 'refresh');
      return refresh?.clientId === request.clientId
        ? issueTokens(refresh.user, null, refresh.expiresAt)
        : createInvalidGrantError('The refresh token was already used or has expired.');
    }
    const authorization = await localCodes.take(request.code, 'authorization');
    if (authorization?.clientId !== request.clientId)
      return createInvalidGrantError('The code was already used or has expired.');
    if (authorization.redirectUri !== request.redirectUri)
      return createInvalidGrantError('The redirect_uri does not match the code.');
    if (authorization.challenge !== challengeOf(request.verifier))
      return createInvalidGrantError('The code_verifier does not match the code.');
    return issueTokens(authorization.user, authorization.nonce, clock.now() + signInSeconds * 1_000);
  };

  return {
    async invite(input, until) {
      const user = pickUser(input);
      // If no token can be minted for this user, fail now rather than when the code is used.
      await issuer.mint({ ...user, ttlSeconds: 0 });
      const code = formatCode(random.bytes(codeBytes));
      await localCodes.put(normalizeCode(code), 'sign-in', user, until);
      return code;
    },

    async authorize(parameters, origin, code) {
      const result = readAuthorizationRequest(parameters, origin);
      if (result.kind === 'unknown client') return result;
      if (result.kind === 'rejected')
        return { kind: 'redirect', url: addQuery(result.redirectUri, { ...result.error, state: result.state }) };
      const user = code === null ? null : await localCodes.take(normalizeCode(code), 'sign-in');
      if (!user) return { kind: 'code required', isCodeInvalid: code !== null };
      return { kind: 'redirect', url: await grant(result.request, pickUser(user)) };
    },

    async exchange(form) {
      const request = readTokenRequest(form);
      return 'error' in request ? request : redeem(request);
    },
  };
};

/** Copies these properties and drops all others. */
const pickUser = ({ uid, email, emailVerified, groups }: LocalUser): LocalUser => ({
  uid,
  ...(email === undefined ? {} : { email }),
  ...(emailVerified === undefined ? {} : { emailVerified }),
  ...(groups === undefined ? {} : { groups }),
});

const createInvalidGrantError = (error_description: string): TokenError => ({
  error: 'invalid_grant',
  error_description,
});

const createRandomToken = (random: Ports['random']): string => Buffer.from(random.bytes(32)).toString('base64url');

/** Returns the challenge for a verifier (RFC 7636, section 4.6). */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const addQuery = (url: string, parameters: Readonly<Record<string, string | null>>): string => {
  const definedParameters = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${url}?${new URLSearchParams(definedParameters).toString()}`;
};
