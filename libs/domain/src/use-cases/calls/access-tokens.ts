import { toBase64 } from '../../base64.ts';
import { PorticoError } from '../../errors.ts';
import type { Instant } from '../../instant.ts';
import { isJsonObject, type Json } from '../../json.ts';
import type { Egress } from '../../ports/egress.ts';
import type { Clock } from '../../ports/clock.ts';

/** A client of an authorization server that gets access tokens with its own credentials (RFC 6749, section 4.4). */
export interface OAuthClient {
  /** Changes with the credential. */
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
}

export interface AccessToken {
  readonly value: string;
  /** Whether the token was requested for this call. */
  readonly isFresh: boolean;
}

/** Access tokens of OAuth clients. They are kept in memory only. */
export interface AccessTokens {
  /**
   * Returns a token that is valid for at least 30 s. Throws `upstream_unreachable` if the authorization server issues
   * none.
   */
  get(client: OAuthClient, options: { readonly caller: string; readonly timeoutMs: number }): Promise<AccessToken>;
  /** Removes a token that the API has rejected. */
  forget(client: OAuthClient): void;
}

/** The number of tokens in memory; the least recently issued one is removed first. */
const tokensMax = 1_000;
const renewalMs = 30_000;
/** How long a token without an expiry is used. */
const lifetimeMsDefault = 300_000;
const lifetimeMsMax = 86_400_000;
const responseBytesMax = 65_536;

interface IssuedToken {
  readonly value: string;
  readonly renewAt: Instant;
}

export const createAccessTokens = (egress: Egress, clock: Clock): AccessTokens => {
  const issuedTokens = new Map<string, IssuedToken>();
  const pendingTokens = new Map<string, Promise<string>>();
  return {
    async get(client, options) {
      const key = keyOf(client);
      const issuedToken = issuedTokens.get(key);
      if (issuedToken && clock.now() < issuedToken.renewAt) return { value: issuedToken.value, isFresh: false };
      const request = async (): Promise<string> => {
        const { value, lifetimeMs } = await requestToken(egress, client, options);
        issuedTokens.delete(key);
        issuedTokens.set(key, { value, renewAt: clock.now() + lifetimeMs - renewalMs });
        const [oldestKey] = issuedTokens.keys();
        if (issuedTokens.size > tokensMax && oldestKey !== undefined) issuedTokens.delete(oldestKey);
        return value;
      };
      const pendingToken = pendingTokens.get(key) ?? request().finally(() => pendingTokens.delete(key));
      pendingTokens.set(key, pendingToken);
      return { value: await pendingToken, isFresh: true };
    },
    forget(client) {
      issuedTokens.delete(keyOf(client));
    },
  };
};

const keyOf = ({ id, tokenUrl, scopes }: OAuthClient): string => JSON.stringify([id, tokenUrl, scopes]);

interface TokenResponse {
  readonly value: string;
  readonly lifetimeMs: number;
}

/** Sends the client's credentials in the header, or in the body for a server that takes them only there. */
const requestToken = async (
  egress: Egress,
  client: OAuthClient,
  options: { readonly caller: string; readonly timeoutMs: number },
): Promise<TokenResponse> => {
  const { clientId, clientSecret, scopes } = client;
  const grant = {
    grant_type: 'client_credentials',
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
  };
  const basic = toBase64(`${toFormText(clientId)}:${toFormText(clientSecret)}`);
  const attempts: readonly Attempt[] = [
    { headers: [['Authorization', `Basic ${basic}`]], form: grant },
    { headers: [], form: { ...grant, client_id: clientId, client_secret: clientSecret } },
  ];
  let failure = '';
  for (const attempt of attempts) {
    const { status, body } = await send(egress, client.tokenUrl, attempt, options);
    const token = status === 200 ? readToken(body) : null;
    if (token) return token;
    const code = isJsonObject(body) ? body['error'] : null;
    failure = `${status}${typeof code === 'string' && errorCodes.has(code) ? `, ${code}` : ''}`;
    if (code !== 'invalid_client' && status !== 401) break;
  }
  throw new PorticoError('upstream_unreachable', {
    reason: `its authorization server issued no access token (${failure}): an administrator can check the OAuth client`,
  });
};

interface Attempt {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly form: Readonly<Record<string, string>>;
}

const send = async (
  egress: Egress,
  url: string,
  { headers, form }: Attempt,
  options: { readonly caller: string; readonly timeoutMs: number },
): Promise<{ readonly status: number; readonly body: Json }> => {
  const text = Object.entries(form)
    .map((pair) => pair.map(toFormText).join('='))
    .join('&');
  const response = await egress.send(
    {
      method: 'POST',
      url,
      headers: [...headers, ['Accept', 'application/json'], ['Content-Type', 'application/x-www-form-urlencoded']],
      body: new TextEncoder().encode(text),
    },
    { ...options, bodyBytesMax: responseBytesMax },
  );
  return { status: response.status, body: parse(new TextDecoder().decode(response.body)) };
};

/** The error codes of RFC 6749, section 5.2: any other text is the server's own. */
const errorCodes: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

const readToken = (body: Json): TokenResponse | null => {
  if (!isJsonObject(body)) return null;
  const { access_token: value, expires_in: lifetime } = body;
  // A token that a header cannot contain is not one (RFC 6750, section 2.1).
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(value)) return null;
  const lifetimeMs = Number(lifetime) * 1_000;
  return { value, lifetimeMs: lifetimeMs > 0 ? Math.min(lifetimeMs, lifetimeMsMax) : lifetimeMsDefault };
};

const parse = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
};

const toFormText = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

/** Parts of every runtime that the domain's library does not declare. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };
