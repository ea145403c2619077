import type { Environment } from '@portico/composition';
import { startFakeFirebase } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startComposed } from './start-composed.ts';

/** Returns the ways to sign in to a service with these variables and a local issuer. */
const waysOf = async (variables: Environment): Promise<unknown> => {
  const subject = await startComposed(() => Promise.resolve({ IDENTITY_LOCAL: 'true', ...variables }))();
  onTestFinished(() => subject.close());
  const { status, body } = await subject.client.call('GET', '/console/config.json');
  expect(status).toBe(200);
  return body['ways'];
};

const localWay = {
  kind: 'local',
  name: 'one-time code',
  issuer: 'https://local-issuer.portico.invalid',
  metadata_url: '/local-issuer/.well-known/openid-configuration',
  client_id: 'portico',
  scopes: 'openid email',
};

test('without an issuer, users sign in with a one-time code from the service', async () => {
  expect(await waysOf({})).toEqual([localWay]);
});

test('the configured issuer comes first, even while it is unavailable', async () => {
  const unavailableIssuer = 'http://127.0.0.1:1/realms/portico';
  expect(await waysOf({ IDENTITY_ISSUER: unavailableIssuer, IDENTITY_AUDIENCE: 'console, tool' })).toEqual([
    {
      kind: 'oidc',
      name: '127.0.0.1:1',
      issuer: unavailableIssuer,
      metadata_url: `${unavailableIssuer}/.well-known/openid-configuration`,
      client_id: 'console',
      scopes: 'openid email profile',
    },
    localWay,
  ]);
});

test('with a Firebase API key, users sign in with email address and password, not with its issuer', async () => {
  const firebase = {
    IDENTITY_ISSUER: 'https://securetoken.google.com/my-project',
    IDENTITY_AUDIENCE: 'my-project',
    IDENTITY_FIREBASE_API_KEY: 'AIzaSyExample',
  };
  expect(await waysOf(firebase)).toEqual([
    {
      kind: 'firebase',
      name: 'Firebase',
      api_key: 'AIzaSyExample',
      sign_in_url: 'https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      token_url: 'https://securetoken.googleapis.com/v1/token',
    },
    localWay,
  ]);
});

test('a user who signs in with email address and password is identified by the service, also with a renewed token', async () => {
  const person = { uid: 'alice', email: 'alice@example.com', password: 'correct horse' };
  const firebase = await startFakeFirebase({ people: [person] });
  onTestFinished(() => firebase.close());
  const subject = await startComposed(() => Promise.resolve({ IDENTITY_LOCAL: 'true', ...firebase.variables }))();
  onTestFinished(() => subject.close());
  const call = subject.client.call;
  const [way] = (await call('GET', '/console/config.json')).body['ways'] as readonly Readonly<Record<string, string>>[];
  const post = async (url = '', body: string | URLSearchParams = '', headers = {}) => {
    const response = await fetch(`${url}?key=${way?.['api_key']}`, { method: 'POST', headers, body });
    return (await response.json()) as Readonly<Record<string, string>>;
  };

  const json = { firebase_uid: person.uid, email: person.email, full_name: 'Alice' };
  expect((await call('POST', '/api/profiles/register', { json })).status).toBe(201);
  const fields = JSON.stringify({ email: person.email, password: person.password, returnSecureToken: true });
  const signInReply = await post(way?.['sign_in_url'], fields, { 'content-type': 'application/json' });
  const emailOf = async (token = '') => (await call('GET', '/api/profiles/me', { token })).body['email'];
  expect(await emailOf(signInReply['idToken'])).toBe(person.email);

  const form = { grant_type: 'refresh_token', refresh_token: signInReply['refreshToken'] ?? '' };
  const renewalReply = await post(way?.['token_url'], new URLSearchParams(form));
  expect(await emailOf(renewalReply['id_token'])).toBe(person.email);
});
