import { createHash } from 'node:crypto';
import type { Clock, Instant, OneTimeCodeStore, RandomSource } from '@portico/domain';
import { type AuthorizationRequest, grantedScopes, readAuthorizationRequest } from './authorization-request.ts';
import { localAudience, type LocalIssuer } from './local-issuer.ts';
import { createLocalCodes, type LocalUser } from './local-codes.ts';
import { shownCode, shownCodeBytes, typedCode } from './one-time-code.ts';
import { readTokenRequest, type TokenError, type TokenRequest } from './token-request.ts';

/** What became of an authorization request. */
export type Authorization =
  /** The browser goes back to the client, with a code or with a refusal. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** A person has to type a one-time code; `wrong`: again, since there is no such one. */
  | { readonly kind: 'code wanted'; readonly wrong: boolean }
  /** A person has to be told, since the client is not known. */
  | { readonly kind: 'stranger'; readonly reason: string };

/** The body of a good answer to a token request (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3). */
export interface TokenSet {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** How browsers sign in at the local issuer: with codes that work once, in any process on the same database. */
export interface LocalSignIn {
  /**
   * Returns a code with which this user signs in once, until then. Rejects with RangeError for a user of whom no token
   * can be made.
   */
  invite(user: LocalUser, until: Instant): Promise<string>;
  /** Answers an authorization request; `origin` is where the caller reached the service, `code` what a person typed. */
  authorize(parameters: URLSearchParams, origin: string, code: string | null): Promise<Authorization>;
  /** Answers a token request. */
  exchange(form: URLSearchParams): Promise<TokenSet | TokenError>;
}

/** Between two requests of one browser. */
const authorizationSeconds = 60;
const tokenSeconds = 3_600;
/** From the sign-in: then a new one-time code is needed, whatever was renewed. */
const signInSeconds = 12 * 3_600;

interface Ports {
  readonly issuer: Pick<LocalIssuer, 'mint'>;
  readonly codes: OneTimeCodeStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<RandomSource, 'bytes'>;
}

export const createLocalSignIn = ({ issuer, codes, clock, random }: Ports): LocalSignIn => {
  const local = createLocalCodes(codes, clock);
  const unguessable = (): string => Buffer.from(random.bytes(32)).toString('base64url');
  const grant = async ({ redirectUri, state, nonce, challenge }: AuthorizationRequest, user: LocalUser) => {
    const code = unguessable();
    const payload = { user, clientId: localAudience, redirectUri, challenge, nonce };
    await local.put(code, 'authorization', payload, clock.now() + authorizationSeconds * 1_000);
    return withQuery(redirectUri, { code, state });
  };

  /** The sign-in ends at `until`, and every token with it. */
  const tokensFor = async (user: LocalUser, nonce: string | null, until: Instant): Promise<TokenSet> => {
    const ttlSeconds = Math.min(tokenSeconds, Math.ceil((until - clock.now()) / 1_000));
    const token = await issuer.mint({ ...user, ...(nonce === null ? {} : { nonce }), ttlSeconds });
    const refreshToken = unguessable();
    await local.put(refreshToken, 'refresh', { user, clientId: localAudience }, until);
    return {
      // The ID token again: every endpoint takes ID tokens, and this issuer has no others. A client has to get an access
      // token by RFC 6749, and would send this one.
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
      const renewed = await local.take(request.token, 'refresh');
      return renewed?.clientId === request.clientId
        ? tokensFor(renewed.user, null, renewed.expiresAt)
        : invalidGrant('The refresh token is used, or too old.');
    }
    const granted = await local.take(request.code, 'authorization');
    if (granted?.clientId !== request.clientId) return invalidGrant('The code is used, or too old.');
    if (granted.redirectUri !== request.redirectUri) return invalidGrant('The redirect_uri is not that of the code.');
    if (granted.challenge !== challengeOf(request.verifier))
      return invalidGrant('The code_verifier is not that of the code.');
    return tokensFor(granted.user, granted.nonce, clock.now() + signInSeconds * 1_000);
  };

  return {
    async invite(invited, until) {
      const user = withoutMore(invited);
      // A user of whom no token can be made is refused now, not when the code is used.
      await issuer.mint({ ...user, ttlSeconds: 0 });
      const code = shownCode(random.bytes(shownCodeBytes));
      await local.put(typedCode(code), 'sign-in', user, until);
      return code;
    },

    async authorize(parameters, origin, code) {
      const read = readAuthorizationRequest(parameters, origin);
      if (read.kind === 'stranger') return read;
      if (read.kind === 'refused')
        return { kind: 'redirect', to: withQuery(read.redirectUri, { ...read.error, state: read.state }) };
      const user = code === null ? null : await local.take(typedCode(code), 'sign-in');
      if (!user) return { kind: 'code wanted', wrong: code !== null };
      return { kind: 'redirect', to: await grant(read.request, withoutMore(user)) };
    },

    async exchange(form) {
      const read = readTokenRequest(form);
      return 'error' in read ? read : redeem(read);
    },
  };
};

/** The user without what else the object has. */
const withoutMore = ({ uid, email, emailVerified, groups }: LocalUser): LocalUser => ({
  uid,
  ...(email === undefined ? {} : { email }),
  ...(emailVerified === undefined ? {} : { emailVerified }),
  ...(groups === undefined ? {} : { groups }),
});

const invalidGrant = (error_description: string): TokenError => ({ error: 'invalid_grant', error_description });

/** RFC 7636, section 4.6. */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const withQuery = (address: string, parameters: Readonly<Record<string, string | null>>): string => {
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${address}?${new URLSearchParams(present).toString()}`;
};
