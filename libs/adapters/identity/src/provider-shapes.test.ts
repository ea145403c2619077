import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ManualClock, recordLog } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { makeSigningKey, signToken } from '../test/loopback-provider.ts';
import { createMemoryStorage, outcomeOf } from '../test/provider-and-verifier.ts';
import { createOidcTokenVerifier } from './oidc-token-verifier.ts';
import { assertFetchable, parseKeySetUrl } from './provider-documents.ts';

/** The documented token format of a real provider; only the origin is replaced by one on loopback. */
interface Shape {
  /** The part of `iss` after the origin. */
  readonly issuer: string;
  /** The path of the keys, which are on a separate origin. */
  readonly keys: string;
  readonly kid: string;
  readonly header?: Record<string, unknown>;
  /** How the published key differs from a key with `kid`, `alg` and `use`. */
  readonly publishedFields?: Record<string, unknown>;
  readonly audience: string;
  readonly claims: Record<string, unknown>;
  readonly identity: { readonly uid: string; readonly email: string | null; readonly emailVerified: boolean };
}

const start = Date.UTC(2026, 0, 1) / 1_000;

const shapes: Record<string, Shape> = {
  Firebase: {
    issuer: '/my-project',
    keys: '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
    kid: '8d9be3a5f1c24e7b6a0d9c8b7e6f5a4d3c2b1a09',
    audience: 'my-project',
    claims: {
      name: 'Ada',
      picture: 'https://lh3.example.com/a',
      aud: 'my-project',
      auth_time: start - 5,
      user_id: 'kT3mPq7XWZb1Y2c3D4e5F6g7H8i9',
      sub: 'kT3mPq7XWZb1Y2c3D4e5F6g7H8i9',
      email: 'Ada@Example.com',
      email_verified: true,
      firebase: { identities: { email: ['ada@example.com'], 'google.com': ['1'] }, sign_in_provider: 'password' },
    },
    identity: { uid: 'kT3mPq7XWZb1Y2c3D4e5F6g7H8i9', email: 'Ada@Example.com', emailVerified: true },
  },
  'Firebase, by telephone': {
    issuer: '/my-project',
    keys: '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
    kid: '8d9be3a5f1c24e7b6a0d9c8b7e6f5a4d3c2b1a09',
    audience: 'my-project',
    claims: { aud: 'my-project', auth_time: start, user_id: 'u1', sub: 'u1', phone_number: '+15550100', firebase: {} },
    identity: { uid: 'u1', email: null, emailVerified: false },
  },
  Keycloak: {
    issuer: '/realms/portico',
    keys: '/realms/portico/protocol/openid-connect/certs',
    kid: 'FJ86GcF3jTbNLOco4NvZkUCIUmfYCqoqtOQeMfbhNlE',
    publishedFields: { x5c: ['MIIC'], x5t: 'abc', 'x5t#S256': 'def' },
    audience: 'portico',
    claims: {
      typ: 'ID',
      azp: 'portico',
      aud: 'portico',
      auth_time: 0,
      jti: 'onrtro:5b0e',
      sid: '1c9c',
      at_hash: 'x',
      acr: '1',
      sub: '00000000-0000-4000-8000-000000000001',
      email: 'ada@example.com',
      email_verified: true,
      preferred_username: 'ada',
    },
    identity: { uid: '00000000-0000-4000-8000-000000000001', email: 'ada@example.com', emailVerified: true },
  },
  Auth0: {
    issuer: '/',
    keys: '/.well-known/jwks.json',
    kid: 'NjVBRjY5MDlCMUIwNzU4RTA2QzZFMDQ4QzQ2MDAyQjVDNjk1RTM2Qg',
    publishedFields: { x5c: ['MIID'], x5t: 'abc' },
    audience: '0Ur3Qm9pXWZb1Y2c3D4e5F6g7H8i9J0k',
    claims: {
      aud: '0Ur3Qm9pXWZb1Y2c3D4e5F6g7H8i9J0k',
      sub: 'auth0|507f1f77bcf86cd799439020',
      nickname: 'ada',
      updated_at: '2026-01-01T00:00:00.000Z',
      email: 'ada@example.com',
      email_verified: false,
      sid: 'abc',
      nonce: 'def',
    },
    identity: { uid: 'auth0|507f1f77bcf86cd799439020', email: 'ada@example.com', emailVerified: false },
  },
  Google: {
    issuer: '',
    keys: '/oauth2/v3/certs',
    kid: '763f7c4cd26a1eb2b1b39a88f4434d1f4d9a368b',
    audience: '1234987819200.apps.googleusercontent.com',
    claims: {
      azp: '1234987819200-android.apps.googleusercontent.com',
      aud: '1234987819200.apps.googleusercontent.com',
      sub: '10769150350006150715113082367',
      at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
      hd: 'example.com',
      email: 'ada@example.com',
      email_verified: true,
      nbf: start - 300,
      jti: '5b0e',
    },
    identity: { uid: '10769150350006150715113082367', email: 'ada@example.com', emailVerified: true },
  },
  'Microsoft Entra': {
    issuer: '/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    keys: '/9188040d-6c67-4c5b-b112-36a304b66dad/discovery/v2.0/keys',
    kid: '1LTMzakihiRla_8z2BEJVXeWMqo',
    publishedFields: {
      alg: undefined,
      x5t: '1LTMzakihiRla_8z2BEJVXeWMqo',
      x5c: ['MIID'],
      cloud_instance_name: 'x',
      issuer: 'y',
    },
    audience: '6cb04018-a3f5-46a7-b995-940c78f5aef3',
    claims: {
      ver: '2.0',
      aud: '6cb04018-a3f5-46a7-b995-940c78f5aef3',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
      nbf: start,
      aio: 'Df2UVXL1ix!lMCWMSOJBcFatzcGfvFGhjKv8q5g0x732dR5MB5BisvGQO7YWByjd8iQDLq',
      preferred_username: 'ada@example.com',
      email: 'ada@example.com',
    },
    identity: { uid: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ', email: 'ada@example.com', emailVerified: false },
  },
  'Okta, without typ': {
    issuer: '/oauth2/default',
    keys: '/oauth2/default/v1/keys',
    kid: 'U5R8cHbGw445Qbq8zVO1PcCpXL8yG6IcovVa3laCoxM',
    header: { typ: undefined },
    audience: '0oabzljloplxb0ABC0h7',
    claims: {
      ver: 1,
      aud: '0oabzljloplxb0ABC0h7',
      sub: '00ub0oNGTSWTBKOLGLNR',
      amr: ['pwd'],
      idp: '00o1',
      auth_time: start,
    },
    identity: { uid: '00ub0oNGTSWTBKOLGLNR', email: null, emailVerified: false },
  },
  'Amazon Cognito': {
    issuer: '/us-east-1_aBcDeFgHi',
    keys: '/us-east-1_aBcDeFgHi/.well-known/jwks.json',
    kid: 'abcdefghijklmnopqrsexample=',
    header: { typ: undefined },
    audience: '55h2ckj0example',
    claims: {
      token_use: 'id',
      'cognito:username': 'ada',
      aud: '55h2ckj0example',
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      auth_time: start,
      email: 'ada@example.com',
      email_verified: 'true',
    },
    identity: { uid: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', email: 'ada@example.com', emailVerified: true },
  },
};

/** Serves JSON texts by path. Returns the server's origin. */
const serve = async (texts: Readonly<Record<string, () => string>>): Promise<string> => {
  const server = createServer((request, response) => {
    const text = texts[request.url ?? ''];
    response.writeHead(text ? 200 : 404, { 'content-type': 'application/json' }).end(text?.() ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test.each(Object.entries(shapes))(
  'with only issuer and audience configured, an ID token in the format of %s is valid',
  async (_name, shape) => {
    const key = await makeSigningKey(shape.kid);
    const encryptionKey = { ...(await makeSigningKey('enc')).jwk, alg: 'RSA-OAEP', use: 'enc' };
    const keySet = JSON.stringify({ keys: [encryptionKey, { ...key.jwk, ...shape.publishedFields }] });
    const keysOrigin = await serve({ [shape.keys]: () => keySet });
    const origin = await serve({
      [`${shape.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`]: () =>
        JSON.stringify({ issuer: `${origin}${shape.issuer}`, jwks_uri: `${keysOrigin}${shape.keys}` }),
    });
    const clock = new ManualClock();
    const verifier = createOidcTokenVerifier({
      issuer: `${origin}${shape.issuer}`,
      audience: shape.audience,
      clock,
      storage: createMemoryStorage(),
      log: recordLog(),
    });
    onTestFinished(() => verifier.close());
    const claims = { iss: `${origin}${shape.issuer}`, iat: start, exp: start + 3_600, ...shape.claims };
    expect(await verifier.verify(await signToken(key, claims, shape.header))).toEqual({
      issuer: claims.iss,
      ...shape.identity,
      groups: null,
      isAccessToken: false,
    });
    expect(await outcomeOf(verifier.verify(await signToken(key, { ...claims, aud: 'another' })))).toBe('invalid_token');
  },
);

test.each([
  [
    'https://securetoken.google.com/my-project',
    'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  ],
  ['https://accounts.google.com', 'https://www.googleapis.com/oauth2/v3/certs'],
  ['https://tenant.eu.auth0.com/', 'https://tenant.eu.auth0.com/.well-known/jwks.json'],
  [
    'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/discovery/v2.0/keys',
  ],
  [
    'https://identity.localhost:8443/realms/portico',
    'https://identity.localhost:8443/realms/portico/protocol/openid-connect/certs',
  ],
])('for the issuer %s the keys come from %s', (issuer, jwksUrl) => {
  expect(parseKeySetUrl(JSON.stringify({ issuer, jwks_uri: jwksUrl }), issuer)).toBe(jwksUrl);
  expect(() => assertFetchable({ issuer, jwksUrl: null, timeoutMs: 1 })).not.toThrow();
  expect(() => assertFetchable({ issuer, jwksUrl, timeoutMs: 1 })).not.toThrow();
});

test('the evaluation realm has the client, the admin and the verified email addresses named in its settings', () => {
  const deploy = join(import.meta.dirname, '../../../../deploy');
  const settings = Object.fromEntries(
    readFileSync(join(deploy, 'identity.env'), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value]];
      }),
  ) as Record<string, string>;
  const realm = JSON.parse(readFileSync(join(deploy, 'keycloak/portico-realm.json'), 'utf8')) as {
    readonly realm: string;
    readonly clients: readonly Record<string, unknown>[];
    readonly users: readonly {
      readonly firstName?: string;
      readonly lastName?: string;
      readonly emailVerified: boolean;
      readonly credentials: readonly { readonly value: string }[];
    }[];
  };
  expect(settings['IDENTITY_ISSUER']).toMatch(new RegExp(`/realms/${realm.realm}$`));
  expect(realm.clients).toMatchObject([{ clientId: settings['IDENTITY_AUDIENCE'], publicClient: true }]);
  expect(realm.users).toContainEqual(
    expect.objectContaining({ id: settings['BOOTSTRAP_ADMIN_UID'], email: settings['BOOTSTRAP_ADMIN_EMAIL'] }),
  );
  // Keycloak issues no token for a password if the user has no first and last name. The repository must not contain a
  // password.
  for (const { firstName = '', lastName = '', emailVerified, credentials } of realm.users) {
    expect([firstName !== '', lastName !== '', emailVerified]).toEqual([true, true, true]);
    expect(credentials.map(({ value }) => value)).toEqual(['${PORTICO_USERS_PASSWORD}']);
  }
});
