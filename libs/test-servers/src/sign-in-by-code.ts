import { createHash, randomBytes } from 'node:crypto';

export interface SignInTokens {
  /** The ID token. From `startIdentityProvider`, it is valid for an hour by default. */
  readonly idToken: string;
  readonly accessToken: string;
}

export interface SignInRequest {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  /** The person to sign in, passed as `login_hint`. */
  readonly uid: string;
  /** The service that the access token is for (RFC 8707). */
  readonly resource?: string;
}

const redirectsMax = 10;

/** Signs in with an authorization code and PKCE (RFC 7636), including the browser's part. */
export async function signInByCode(request: SignInRequest): Promise<SignInTokens> {
  const { issuer, clientId, redirectUri, scope, uid, resource } = request;
  const resourceParams: Readonly<Record<string, string>> = resource === undefined ? {} : { resource };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    login_hint: uid,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...resourceParams,
  });
  const code = await followToCode(`${issuer}/auth?${query.toString()}`, redirectUri);
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
      ...resourceParams,
    }),
  });
  const body = (await response.json()) as { id_token?: string; access_token?: string };
  if (!body.id_token || !body.access_token) throw new Error(`No tokens: ${JSON.stringify(body)}`);
  return { idToken: body.id_token, accessToken: body.access_token };
}

/** Gets an access token with a client's own credentials (RFC 6749, section 4.4). */
export async function getTokenByCredentials({
  issuer,
  clientId,
  clientSecret,
  resource,
}: {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly resource: string;
}): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
  });
  const body = (await response.json()) as { access_token?: string };
  if (!body.access_token) throw new Error(`No token: ${JSON.stringify(body)}`);
  return body.access_token;
}

/**
 * Follows an issuer's pages as a browser does, and submits each form unchanged. Returns the first URL outside the
 * issuer, without opening it, or null at a page that has neither a redirect nor a form.
 */
export async function browseFrom(startUrl: string, issuer: string): Promise<string | null> {
  const cookies = new Map<string, string>();
  let nextRequest: { readonly url: string; readonly form: URLSearchParams | null } = { url: startUrl, form: null };
  for (let pages = 0; pages < redirectsMax; pages++) {
    if (!nextRequest.url.startsWith(`${issuer}/`)) return nextRequest.url;
    const response = await fetch(nextRequest.url, {
      ...(nextRequest.form ? { method: 'POST', body: nextRequest.form } : {}),
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const page = await response.text();
    const location = response.headers.get('location');
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (!location && !action) {
      if (response.ok) return null;
      throw new Error(`${nextRequest.url} returned ${response.status}: ${page}`);
    }
    nextRequest = {
      url: new URL(location ?? action ?? '', nextRequest.url).href,
      form: location ? null : formIn(page),
    };
  }
  throw new Error(`More than ${redirectsMax} pages`);
}

const formIn = (page: string): URLSearchParams =>
  new URLSearchParams(
    [...page.matchAll(/<input[^>]*>/g)].map(([input]): [string, string] => [
      / name="([^"]*)"/.exec(input)?.[1] ?? '',
      / value="([^"]*)"/.exec(input)?.[1] ?? '',
    ]),
  );

const followToCode = async (startUrl: string, redirectUri: string): Promise<string> => {
  const cookies = new Map<string, string>();
  let url = startUrl;
  for (let redirects = 0; redirects < redirectsMax; redirects++) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const response = await fetch(url, { headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    url = new URL(location, url).href;
    if (url.startsWith(redirectUri)) return codeIn(url);
  }
  throw new Error(`More than ${redirectsMax} redirects`);
};

const codeIn = (url: string): string => {
  const code = new URL(url).searchParams.get('code');
  if (!code) throw new Error(`No code in ${url}`);
  return code;
};
