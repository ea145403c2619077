import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeFirebase, type FirebasePerson, type FakeFirebase } from './fake-firebase.ts';

type Json = Readonly<Record<string, unknown>>;

const alice: FirebasePerson = { uid: 'alice', email: 'alice@example.com', password: 'correct horse' };
const origin = 'http://127.0.0.1:3000';
let fake: FakeFirebase;
beforeAll(async () => {
  fake = await startFakeFirebase();
});
beforeEach(() => {
  fake.put(alice);
  fake.signInError = null;
  fake.tokenSeconds = 3_600;
});
afterAll(() => fake.close());

const post = async (path: string, type: string, body: string) => {
  const address = `http://${fake.host}/${path}`;
  const response = await fetch(address, { method: 'POST', headers: { 'content-type': type, origin }, body });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
};

const signIn = (fields: object = {}, key = fake.apiKey) =>
  post(
    `identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${key}`,
    'application/json',
    JSON.stringify({ email: alice.email, password: alice.password, returnSecureToken: true, ...fields }),
  );

const refresh = (form: Readonly<Record<string, string>>) =>
  post(
    `securetoken.googleapis.com/v1/token?key=${fake.apiKey}`,
    'application/x-www-form-urlencoded',
    new URLSearchParams({ grant_type: 'refresh_token', ...form }).toString(),
  );

const documentAt = async (address: string): Promise<Json> => (await (await fetch(address)).json()) as Json;

const readPublishedKeys = async () => {
  const { issuer, jwks_uri: address } = await documentAt(`${fake.issuer}/.well-known/openid-configuration`);
  expect(issuer).toBe(fake.issuer);
  return (await documentAt(String(address)))['keys'] as readonly (JsonWebKey & { readonly kid: string })[];
};

const parsePart = (part = ''): Json => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Json;

/** Returns the claims of a token that is signed by a published key, or null for any other token. */
const claimsOf = async (token: unknown): Promise<Json | null> => {
  const [header = '', payload = '', signature = ''] = String(token).split('.');
  const { alg, kid } = parsePart(header);
  const key = (await readPublishedKeys()).find((publishedKey) => publishedKey.kid === kid);
  if (alg !== 'RS256' || !key) return null;
  const signedData = Buffer.from(`${header}.${payload}`);
  const isValid = verify(
    'sha256',
    signedData,
    createPublicKey({ key, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
  return isValid ? parsePart(payload) : null;
};

describe('signing in', () => {
  test('by email and password returns an ID token that is signed by a published key', async () => {
    const { status, body } = await signIn();
    expect(status).toBe(200);
    expect(body).toMatchObject({ localId: 'alice', email: alice.email, registered: true, expiresIn: '3600' });
    const claims = await claimsOf(body['idToken']);
    expect(claims).toMatchObject({
      iss: fake.issuer,
      aud: 'demo-portico',
      sub: 'alice',
      user_id: 'alice',
      email: alice.email,
      email_verified: false,
      firebase: { identities: { email: [alice.email] }, sign_in_provider: 'password' },
    });
    expect(Number(claims?.['exp']) - Number(claims?.['iat'])).toBe(3_600);
  });

  test('the case of the email is ignored, and the token shows whether it is verified', async () => {
    fake.put({ ...alice, emailVerified: true });
    const { body } = await signIn({ email: 'Alice@Example.com' });
    expect(await claimsOf(body['idToken'])).toMatchObject({ email_verified: true });
  });

  test.each([
    ['an unknown email', { email: 'bob@example.com' }, 'INVALID_LOGIN_CREDENTIALS'],
    ['a wrong password', { password: 'wrong' }, 'INVALID_LOGIN_CREDENTIALS'],
    ['no email', { email: '' }, 'INVALID_EMAIL'],
    ['no password', { password: '' }, 'MISSING_PASSWORD'],
  ])('%s is rejected', async (_, fields, message) => {
    const { status, body } = await signIn(fields);
    const errors = [{ message, domain: 'global', reason: 'invalid' }];
    expect([status, body]).toEqual([400, { error: { code: 400, message, errors } }]);
  });

  test('a project from before 2023 reports whether the email or the password is wrong', async () => {
    const previousFake = fake;
    fake = await startFakeFirebase({ hidesEmails: false, people: [alice] });
    try {
      expect((await signIn({ email: 'bob@example.com' })).body).toMatchObject({
        error: { message: 'EMAIL_NOT_FOUND' },
      });
      expect((await signIn({ password: 'wrong' })).body).toMatchObject({ error: { message: 'INVALID_PASSWORD' } });
    } finally {
      await fake.close();
      fake = previousFake;
    }
  });

  test('a disabled person is reported as disabled only with the correct password', async () => {
    fake.put({ ...alice, disabled: true });
    expect((await signIn()).body).toMatchObject({ error: { message: 'USER_DISABLED' } });
    expect((await signIn({ password: 'wrong' })).body).toMatchObject({
      error: { message: 'INVALID_LOGIN_CREDENTIALS' },
    });
  });

  test('all sign-ins can be rejected, as after too many attempts', async () => {
    fake.signInError = 'TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled.';
    expect((await signIn()).body).toMatchObject({ error: { code: 400, message: fake.signInError } });
  });

  test('if a second factor is required, the password alone does not return a token', async () => {
    fake.put({ ...alice, requiresSecondFactor: true });
    const { status, body } = await signIn();
    expect([status, body['idToken'], body['refreshToken']]).toEqual([200, undefined, undefined]);
    expect(body).toHaveProperty('mfaPendingCredential');
  });

  test('a wrong API key is rejected, and so is a missing one', async () => {
    const message = 'API key not valid. Please pass a valid API key.';
    expect((await signIn({}, 'another')).body).toMatchObject({ error: { code: 400, message } });
    const response = await post(
      'identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      'application/json',
      '{}',
    );
    expect([response.status, response.body]).toMatchObject([403, { error: { status: 'PERMISSION_DENIED' } }]);
  });
});

describe('a refresh token', () => {
  const refreshTokenOf = async (): Promise<string> => String((await signIn()).body['refreshToken']);

  test('returns a new ID token with the current lifetime', async () => {
    const token = await refreshTokenOf();
    fake.tokenSeconds = 5;
    const { status, body } = await refresh({ refresh_token: token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ expires_in: '5', token_type: 'Bearer', refresh_token: token, user_id: 'alice' });
    const claims = await claimsOf(body['id_token']);
    expect(Number(claims?.['exp']) - Number(claims?.['iat'])).toBe(5);
  });

  test.each([
    ['that is unknown', async () => ({ refresh_token: 'unknown' }), 'TOKEN_EXPIRED'],
    ['that is absent', async () => ({}), 'MISSING_REFRESH_TOKEN'],
    ['with a different grant type', async () => ({ grant_type: 'password', refresh_token: 'x' }), 'INVALID_GRANT_TYPE'],
    [
      'that was revoked',
      async () => {
        const token = await refreshTokenOf();
        fake.revoke('alice');
        return { refresh_token: token };
      },
      'TOKEN_EXPIRED',
    ],
    [
      'of a disabled person',
      async () => {
        const token = await refreshTokenOf();
        fake.put({ ...alice, disabled: true });
        return { refresh_token: token };
      },
      'USER_DISABLED',
    ],
    [
      'of a removed person',
      async () => {
        const token = await refreshTokenOf();
        fake.remove('alice');
        return { refresh_token: token };
      },
      'USER_NOT_FOUND',
    ],
  ])('%s is rejected', async (_, createForm, message) => {
    const { status, body } = await refresh(await createForm());
    expect([status, body]).toEqual([400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]);
  });
});

test('the preflight and the response allow calls from pages of other origins', async () => {
  const address = `http://${fake.host}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=x`;
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  };
  const { status, headers } = await fetch(address, { method: 'OPTIONS', headers: preflight });
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBe(origin);
  expect(headers.get('access-control-allow-headers')).toBe('content-type');
  expect(headers.get('access-control-allow-methods')).toContain('POST');
  for (const response of [await signIn(), await signIn({ password: 'wrong' })]) {
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  }
});

test('a new key signs immediately, and the old one is published until it is retired', async () => {
  const before = (await signIn()).body['idToken'];
  fake.rotate();
  const after = (await signIn()).body['idToken'];
  expect([(await claimsOf(before))?.['sub'], (await claimsOf(after))?.['sub']]).toEqual(['alice', 'alice']);
  fake.retireOldKeys();
  expect(await claimsOf(before)).toBeNull();
  expect((await claimsOf(after))?.['sub']).toBe('alice');
});

test('it records the requests', async () => {
  const before = fake.calls.length;
  await signIn();
  const [call] = fake.calls.slice(before);
  expect(call?.path).toBe('/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword');
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ email: alice.email, returnSecureToken: true });
});
