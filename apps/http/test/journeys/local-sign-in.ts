import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../reply.ts';
import { expectStatus, textOf, type Start, type Subject } from '../subject.ts';

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');
const ada = { uid: 'ada', email: 'ada@example.com', emailVerified: true };
const hourMs = 3_600_000;
const form = ['Content-Type', 'application/x-www-form-urlencoded'];

/** Creates a browser with its OAuth client. Each override replaces a parameter; null omits the parameter. */
const createBrowser = (subject: Subject) => {
  const { client, invite } = subject;
  const callback = `${client.baseUrl}/console/sign-in/callback`;
  type Overrides = Readonly<Record<string, string | null>>;
  const encode = (parameters: Overrides): string =>
    new URLSearchParams(
      Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null),
    ).toString();
  const request = {
    response_type: 'code',
    client_id: 'portico',
    redirect_uri: callback,
    scope: 'openid email',
    state: 'the state',
    nonce: 'the nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const pathOf = (overrides: Overrides = {}): string =>
    `/local-issuer/authorize?${encode({ ...request, ...overrides })}`;
  const open = (overrides: Overrides = {}): Promise<Reply> => client.call('GET', pathOf(overrides));
  const typeCode = (code: string, overrides: Overrides = {}): Promise<Reply> =>
    client.call('POST', pathOf(overrides), { headers: form, raw: encode({ one_time_code: code }) });
  const requestToken = (parameters: Overrides): Promise<Reply> =>
    client.call('POST', '/local-issuer/token', { headers: form, raw: encode(parameters) });
  const exchange = (code: string, overrides: Overrides = {}): Promise<Reply> =>
    requestToken({
      grant_type: 'authorization_code',
      client_id: 'portico',
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...overrides,
    });
  const renew = (refreshToken: string, overrides: Overrides = {}): Promise<Reply> =>
    requestToken({ grant_type: 'refresh_token', client_id: 'portico', refresh_token: refreshToken, ...overrides });
  const newCode = async (user = ada, lifetimeMs = hourMs): Promise<string> => {
    if (!invite) throw new Error('This service cannot invite users');
    return invite(user, (subject.clock?.now() ?? Date.now()) + lifetimeMs);
  };
  const grantedCode = async (): Promise<string> =>
    callbackParametersOf(expectStatus(await typeCode(await newCode()), 303)).code ?? '';
  return { callback, pathOf, open, typeCode, requestToken, exchange, renew, newCode, grantedCode };
};

/** Returns the parameters of the redirect back to the client. */
const callbackParametersOf = ({ headers }: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(headers['location'] ?? '').searchParams);

const claimsOf = (token: unknown): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(textOf(token).split('.')[1] ?? '', 'base64url').toString()) as Readonly<
    Record<string, unknown>
  >;

const errorOf = ({ status, body }: Reply) => [status, body.error];

/** Tests signing in to the console when the service is its own identity provider. */
export const localSignInSuite = (start: Start): void => {
  let subject: Subject;
  let browser: ReturnType<typeof createBrowser>;
  const call: Subject['client']['call'] = (...request) => subject.client.call(...request);

  beforeAll(async () => {
    subject = await start({ hasLocalSignIn: true });
    browser = createBrowser(subject);
    await subject.useCases.claimFirstAdmin({ uid: ada.uid, email: ada.email, issuer: subject.issuer });
  });
  afterAll(() => subject.close());

  test('the discovery document has the endpoints and methods', async () => {
    const { body } = await call('GET', '/local-issuer/.well-known/openid-configuration');
    const { baseUrl } = subject.client;
    expect(body).toMatchObject({
      authorization_endpoint: `${baseUrl}/local-issuer/authorize`,
      token_endpoint: `${baseUrl}/local-issuer/token`,
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  test('entering a code returns tokens that identify the user to the API', async () => {
    const page = expectStatus(await browser.open(), 200);
    const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const raw = new URLSearchParams({ one_time_code: await browser.newCode() }).toString();
    const redirectReply = expectStatus(await call('POST', action, { headers: form, raw }), 303);
    expect(redirectReply.headers['location']).toMatch(new RegExp(`^${browser.callback}\\?`));
    const { code = '', state } = callbackParametersOf(redirectReply);
    expect(state).toBe('the state');
    const reply = expectStatus(await browser.exchange(code), 200);
    expect([reply.headers['cache-control'], reply.headers['pragma']]).toEqual(['no-store', 'no-cache']);
    const { id_token, access_token, ...rest } = reply.body;
    expect(rest).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid email' });
    const { iat, exp, ...claims } = claimsOf(id_token);
    expect(Number(exp) - Number(iat)).toBe(3_600);
    expect(claims).toEqual({
      iss: subject.issuer,
      aud: 'portico',
      sub: 'ada',
      email: 'ada@example.com',
      email_verified: true,
      nonce: 'the nonce',
    });
    const ownProfile = await call('GET', '/api/profiles/me', { token: textOf(access_token) });
    expect([ownProfile.status, ownProfile.body.email]).toEqual([200, 'ada@example.com']);
  });

  test('following a link with a code redirects immediately', async () => {
    const code = await browser.newCode();
    const { one_time_code, state } = callbackParametersOf(
      expectStatus(await browser.open({ one_time_code: code }), 303),
    );
    expect([one_time_code, state]).toEqual([undefined, 'the state']);
    expect((await browser.open({ one_time_code: code })).status).toBe(400);
  });

  test('a code may be entered in lower case, without hyphens, and with letters that look like digits', async () => {
    const typedForms: readonly ((code: string) => string)[] = [
      (code) => code.toLowerCase().replaceAll('-', ''),
      (code) => ` ${code.replaceAll('-', ' ')} `,
      (code) => code.replaceAll('1', 'l').replaceAll('0', 'O'),
    ];
    for (const alter of typedForms) {
      const code = await browser.newCode();
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
      expect((await browser.typeCode(alter(code))).status).toBe(303);
    }
  });

  test('after a wrong code, the page is shown again, with an error for the field', async () => {
    for (const wrongCode of ['AAAA-AAAA-AAAA-AAAA', '', '"><script>', 'x'.repeat(2_000)]) {
      for (const page of [await browser.typeCode(wrongCode), await browser.open({ one_time_code: wrongCode })]) {
        expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
        const [field = ''] = /<input [^>]+>/.exec(page.text) ?? [];
        expect(field).toContain('aria-invalid="true"');
        const describedBy = /aria-describedby="([^"]+)"/.exec(field)?.[1]?.split(' ') ?? [];
        for (const id of describedBy) expect(page.text).toContain(`id="${id}"`);
        expect(page.text).toContain('<p id="problem" role="alert">This code does not work');
        expect(page.text).not.toContain('<script');
        expect(page.text).not.toContain('one_time_code=');
      }
    }
  });

  test('the page runs no script, and its form can only be submitted to this service', async () => {
    const { headers, text } = await browser.open();
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    expect(policy).toContain(`form-action 'self' ${subject.client.baseUrl};`);
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';`);
    expect(text).toContain('<label for="one_time_code">');
    expect([headers['cache-control'], headers['referrer-policy']]).toEqual(['no-store', 'no-referrer']);
    // A repeated sign-in opens the page in a popup window.
    expect(headers['cross-origin-opener-policy']).toBe('unsafe-none');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  test('a HEAD request does not consume a code', async () => {
    const code = await browser.newCode();
    expect((await call('HEAD', browser.pathOf({ one_time_code: code }))).status).toBe(200);
    expect((await browser.typeCode(code)).status).toBe(303);
  });

  describe('a request of a different client', () => {
    test.each([
      ['has no client_id', { client_id: null }],
      ['has a different client_id', { client_id: 'another' }],
      ['has no redirect_uri', { redirect_uri: null }],
      ['leads to a different host', { redirect_uri: 'https://evil.example.com/console/sign-in/callback' }],
      ['leads to a different path', { redirect_uri: '/console/sign-in/callback' }],
    ])('%s: the user sees an error and is not redirected', async (_name, overrides) => {
      const code = await browser.newCode();
      for (const reply of [await browser.open(overrides), await browser.typeCode(code, overrides)]) {
        expect([reply.status, reply.headers['location']]).toEqual([400, undefined]);
        expect(reply.text).toContain('Portico cannot sign you in');
      }
      expect((await browser.typeCode(code)).status).toBe(303);
    });

    test('has a suffix after the path, or repeats the parameter', async () => {
      for (const suffix of ['/', '?x=1', '#x'])
        expect((await browser.open({ redirect_uri: `${browser.callback}${suffix}` })).status).toBe(400);
      const repeatedParameterPath = `${browser.pathOf()}&redirect_uri=${encodeURIComponent(browser.callback)}`;
      expect((await call('GET', repeatedParameterPath)).status).toBe(400);
    });
  });

  test.each([
    [{ response_type: null }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: null }, 'invalid_scope'],
    [{ scope: 'email' }, 'invalid_scope'],
    [{ code_challenge: null }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: null }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ nonce: 'n'.repeat(513) }, 'invalid_request'],
    [{ request: 'e30' }, 'request_not_supported'],
    [{ request_uri: 'https://example.com' }, 'request_uri_not_supported'],
    [{ prompt: 'none' }, 'login_required'],
  ])('%j redirects to the client with an error, and consumes no code', async (overrides, error) => {
    const code = await browser.newCode();
    const parameters = callbackParametersOf(
      expectStatus(await browser.open({ ...overrides, one_time_code: code }), 303),
    );
    expect(parameters).toMatchObject({ error, state: 'the state' });
    expect(parameters['error_description']).toMatch(/^[\w .:()-]+\.$/);
    expect(parameters['code']).toBeUndefined();
    expect((await browser.typeCode(code)).status).toBe(303);
  });

  test('a repeated parameter is an invalid request', async () => {
    const reply = expectStatus(await call('GET', `${browser.pathOf()}&state=another`), 303);
    expect(callbackParametersOf(reply)).toMatchObject({ error: 'invalid_request' });
    expect((await browser.open({ state: null, nonce: null })).status).toBe(200);
  });

  test.each([
    [{ grant_type: null }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
    [{ client_id: null }, 'invalid_client'],
    [{ client_id: 'another' }, 'invalid_client'],
    [{ code: null }, 'invalid_request'],
    [{ redirect_uri: null }, 'invalid_request'],
    [{ code_verifier: null }, 'invalid_request'],
    [{ code_verifier: 'a'.repeat(42) }, 'invalid_request'],
    [{ code_verifier: 'a'.repeat(129) }, 'invalid_request'],
    [{ code_verifier: `${'a'.repeat(43)}+` }, 'invalid_request'],
    [{ code: 'unknown' }, 'invalid_grant'],
  ])('a token request with %j is rejected, and the code remains valid', async (overrides, error) => {
    const code = await browser.grantedCode();
    const rejection = await browser.exchange(code, overrides);
    expect(errorOf(rejection)).toEqual([400, error]);
    expect(rejection.headers['cache-control']).toBe('no-store');
    expect((await browser.exchange(code)).status).toBe(200);
  });

  test('a wrong verifier and a wrong redirect_uri consume the code', async () => {
    for (const overrides of [{ code_verifier: 'b'.repeat(43) }, { redirect_uri: 'https://evil.example.com' }]) {
      const code = await browser.grantedCode();
      expect(errorOf(await browser.exchange(code, overrides))).toEqual([400, 'invalid_grant']);
      expect(errorOf(await browser.exchange(code))).toEqual([400, 'invalid_grant']);
    }
  });

  test('a code is not accepted in place of a different kind of code', async () => {
    const typedCode = await browser.newCode();
    const grantedCode = await browser.grantedCode();
    const refreshToken = textOf((await browser.exchange(await browser.grantedCode())).body.refresh_token);
    for (const code of [typedCode, refreshToken])
      expect(errorOf(await browser.exchange(code))).toEqual([400, 'invalid_grant']);
    for (const code of [typedCode, grantedCode])
      expect(errorOf(await browser.renew(code))).toEqual([400, 'invalid_grant']);
    for (const code of [grantedCode, refreshToken]) expect((await browser.typeCode(code)).status).toBe(400);
  });

  test('a sign-in is renewed by a token that changes each time', async () => {
    const firstTokens = (await browser.exchange(await browser.grantedCode())).body;
    const secondTokens = expectStatus(await browser.renew(textOf(firstTokens.refresh_token)), 200).body;
    const thirdTokens = expectStatus(
      await browser.renew(textOf(secondTokens.refresh_token), { scope: 'openid email' }),
      200,
    ).body;
    expect(new Set([firstTokens, secondTokens, thirdTokens].map((tokens) => tokens.refresh_token)).size).toBe(3);
    const claims = claimsOf(thirdTokens.id_token);
    expect([claims['sub'], claims['email'], claims['nonce']]).toEqual(['ada', 'ada@example.com', undefined]);
    expect((await call('GET', '/api/profiles/me', { token: textOf(thirdTokens.access_token) })).status).toBe(200);
    for (const usedTokens of [firstTokens, secondTokens])
      expect(errorOf(await browser.renew(textOf(usedTokens.refresh_token)))).toEqual([400, 'invalid_grant']);
  });

  test.each([
    [{ refresh_token: null }, 'invalid_request'],
    [{ client_id: 'another' }, 'invalid_client'],
    [{ scope: 'openid admin' }, 'invalid_scope'],
  ])('a renewal with %j is rejected, and the token remains valid', async (overrides, error) => {
    const refreshToken = textOf((await browser.exchange(await browser.grantedCode())).body.refresh_token);
    expect(errorOf(await browser.renew(refreshToken, overrides))).toEqual([400, error]);
    expect((await browser.renew(refreshToken)).status).toBe(200);
  });

  test('when one code is used many times concurrently, only one use succeeds', async () => {
    const runConcurrently = (use: () => Promise<Reply>) => Promise.all(Array.from({ length: 8 }, use));
    const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).toSorted();
    const typedCode = await browser.newCode();
    expect(statusesOf(await runConcurrently(() => browser.typeCode(typedCode)))).toEqual([
      303,
      ...Array<number>(7).fill(400),
    ]);
    const grantedCode = await browser.grantedCode();
    const exchanges = await runConcurrently(() => browser.exchange(grantedCode));
    expect(statusesOf(exchanges)).toEqual([200, ...Array<number>(7).fill(400)]);
    const refreshToken = textOf(exchanges.find(({ status }) => status === 200)?.body.refresh_token);
    expect(statusesOf(await runConcurrently(() => browser.renew(refreshToken)))).toEqual([
      200,
      ...Array<number>(7).fill(400),
    ]);
  });

  test('each code expires on time', async () => {
    expect((await browser.typeCode(await browser.newCode(ada, 0))).status).toBe(400);
    const { clock } = subject;
    if (!clock) return;
    const typedCode = await browser.newCode(ada, 600_000);
    clock.advance(599_999);
    const grantedCode = callbackParametersOf(expectStatus(await browser.typeCode(typedCode), 303))['code'] ?? '';
    clock.advance(60_000);
    expect(errorOf(await browser.exchange(grantedCode))).toEqual([400, 'invalid_grant']);

    const earlyCode = await browser.grantedCode();
    clock.advance(59_999);
    const tokens = expectStatus(await browser.exchange(earlyCode), 200).body;
    clock.advance(11.5 * hourMs);
    const lateTokens = expectStatus(await browser.renew(textOf(tokens.refresh_token)), 200).body;
    // The token expires together with the sign-in, after 12 hours.
    expect(lateTokens.expires_in).toBe(1_800);
    clock.advance(0.5 * hourMs);
    expect(errorOf(await browser.renew(textOf(lateTokens.refresh_token)))).toEqual([400, 'invalid_grant']);
  });

  test('a body that is not a form, or is too large, is rejected', async () => {
    const code = await browser.grantedCode();
    const json = { grant_type: 'authorization_code', client_id: 'portico', code };
    expect((await call('POST', '/local-issuer/token', { json })).status).toBe(400);
    for (const path of ['/local-issuer/token', browser.pathOf()])
      expect((await call('POST', path, { headers: form, raw: `x=${'y'.repeat(16_384)}` })).status).toBe(413);
    expect(errorOf(await browser.requestToken({}))).toEqual([400, 'invalid_request']);
    expect((await call('GET', '/local-issuer/token')).status).toBe(405);
  });

  test('the log contains no codes and no tokens', async () => {
    const typedCode = await browser.newCode();
    const { code = '' } = callbackParametersOf(expectStatus(await browser.open({ one_time_code: typedCode }), 303));
    const { body } = await browser.exchange(code);
    await browser.renew(textOf(body.refresh_token));
    await browser.renew(textOf(body.refresh_token));
    const log = subject.listLogLines().join('');
    expect(log).toContain('"route":"/local-issuer/authorize"');
    for (const secret of [typedCode, code, textOf(body.refresh_token), textOf(body.id_token), 'the nonce', challenge])
      expect(log).not.toContain(secret);
  });
};

/** Tests limiting the number of guessed codes. */
export const guessedCodesSuite = (start: Start): void => {
  test('wrong codes are rate limited, but a valid code still works', async () => {
    const limit = { allowed: 3, windowSeconds: 60 };
    const subject = await start({ hasLocalSignIn: true, settings: { failedCredentialsLimit: limit } });
    try {
      const browser = createBrowser(subject);
      const grantedCode = await browser.grantedCode();
      for (let attempt = 0; attempt < 2; attempt += 1) expect((await browser.typeCode('wrong')).status).toBe(400);
      expect(errorOf(await browser.exchange('wrong'))).toEqual([400, 'invalid_grant']);
      const page = await browser.typeCode('wrong');
      expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(page.text).toMatch(/Try again in \d+ s\./);
      expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
      expect((await browser.renew('wrong')).status).toBe(429);
      expect((await browser.exchange(grantedCode)).status).toBe(200);
      expect((await browser.typeCode(await browser.newCode())).status).toBe(303);
    } finally {
      await subject.close();
    }
  });
};
