import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigurationError, type Environment } from './environment.ts';

const issuer = { IDENTITY_ISSUER: 'https://id.example.com/realms/portico', IDENTITY_AUDIENCE: 'portico' };
const firebase = {
  IDENTITY_ISSUER: 'https://securetoken.google.com/my-project',
  IDENTITY_AUDIENCE: 'my-project',
  IDENTITY_FIREBASE_API_KEY: 'AIzaSyExample_-1',
};
const production = { NODE_ENV: 'production', SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
const waysOf = (variables: Environment) => readConfig(variables).signInWays;

const problemsOf = (variables: Environment): readonly string[] => {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};

test('with nothing set, people sign in by a one-time code of the local issuer', () => {
  expect(waysOf({})).toEqual([
    {
      kind: 'local',
      name: 'one-time code',
      issuer: 'https://local-issuer.portico.invalid',
      metadataUrl: '/.well-known/openid-configuration',
      clientId: 'portico',
      scopes: 'openid email',
    },
  ]);
});

test('people sign in at the issuer, as the client of its first audience', () => {
  const way = {
    kind: 'oidc',
    name: 'id.example.com',
    issuer: 'https://id.example.com/realms/portico',
    metadataUrl: 'https://id.example.com/realms/portico/.well-known/openid-configuration',
    clientId: 'portico',
    scopes: 'openid email profile',
  };
  expect(waysOf(issuer)).toEqual([way]);
  expect(waysOf({ ...issuer, IDENTITY_AUDIENCE: 'console,tool' })).toEqual([{ ...way, clientId: 'console' }]);
  const own = { IDENTITY_CONSOLE_CLIENT_ID: 'tool', IDENTITY_CONSOLE_SCOPES: ' openid  email offline_access ' };
  expect(waysOf({ ...issuer, IDENTITY_AUDIENCE: 'console,tool', ...own })).toEqual([
    { ...way, clientId: 'tool', scopes: 'openid email offline_access' },
  ]);
});

test('the name of an issuer with a trailing slash loses the slash only in the address of its metadata', () => {
  const [way] = waysOf({ ...issuer, IDENTITY_ISSUER: 'https://tenant.auth0.com/' });
  expect(way).toMatchObject({
    issuer: 'https://tenant.auth0.com/',
    metadataUrl: 'https://tenant.auth0.com/.well-known/openid-configuration',
  });
});

test('the local issuer comes after a configured one', () => {
  expect(waysOf({ ...issuer, IDENTITY_LOCAL: 'true' }).map(({ kind }) => kind)).toEqual(['oidc', 'local']);
});

test('with an API key of Firebase, people sign in by e-mail and password', () => {
  expect(waysOf({ ...production, ...firebase })).toEqual([
    {
      kind: 'firebase',
      name: 'Firebase',
      apiKey: 'AIzaSyExample_-1',
      signInUrl: 'https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      tokenUrl: 'https://securetoken.googleapis.com/v1/token',
    },
  ]);
});

test('an emulator of Firebase replaces its two hosts, regardless of the issuer', () => {
  const emulated = { ...firebase, ...issuer, FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' };
  expect(waysOf(emulated)).toEqual([
    {
      kind: 'firebase',
      name: 'Firebase',
      apiKey: 'AIzaSyExample_-1',
      signInUrl: 'http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      tokenUrl: 'http://127.0.0.1:9099/securetoken.googleapis.com/v1/token',
    },
  ]);
  expect(waysOf({ ...issuer, FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099' })).toEqual(waysOf(issuer));
});

test.each<[string, Environment, string]>([
  ['a client id without an issuer', { IDENTITY_CONSOLE_CLIENT_ID: 'portico' }, 'IDENTITY_ISSUER is missing'],
  ['a client id with a blank', { ...issuer, IDENTITY_CONSOLE_CLIENT_ID: 'a b' }, 'IDENTITY_CONSOLE_CLIENT_ID: '],
  ['scopes without openid', { ...issuer, IDENTITY_CONSOLE_SCOPES: 'email profile' }, 'IDENTITY_CONSOLE_SCOPES: '],
  ['scopes with commas', { ...issuer, IDENTITY_CONSOLE_SCOPES: 'openid,email' }, 'IDENTITY_CONSOLE_SCOPES: '],
  ['scopes with quotes', { ...issuer, IDENTITY_CONSOLE_SCOPES: 'openid "email"' }, 'IDENTITY_CONSOLE_SCOPES: '],
  ['an API key without an issuer', { IDENTITY_FIREBASE_API_KEY: 'key' }, 'IDENTITY_FIREBASE_API_KEY needs'],
  ['an API key for another issuer', { ...firebase, ...issuer }, 'IDENTITY_FIREBASE_API_KEY needs'],
  [
    'an API key for a part of the name of an issuer',
    { ...firebase, IDENTITY_ISSUER: 'https://securetoken.google.com.example.com/my-project' },
    'IDENTITY_FIREBASE_API_KEY needs',
  ],
  ['an invalid API key', { ...firebase, IDENTITY_FIREBASE_API_KEY: 'a key' }, 'IDENTITY_FIREBASE_API_KEY: '],
  ['a client id for Firebase', { ...firebase, IDENTITY_CONSOLE_CLIENT_ID: 'a' }, 'IDENTITY_CONSOLE_CLIENT_ID and'],
  [
    'an emulator in production',
    { ...production, ...firebase, FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' },
    'FIREBASE_AUTH_EMULATOR_HOST is not for production',
  ],
  ...['firebase:9099', '10.0.0.1:9099', '127.0.0.1', 'http://127.0.0.1:9099', '127.0.0.1:9099/x', 'a@127.0.0.1:9'].map(
    (host): [string, Environment, string] => [
      `the emulator ${host}`,
      { ...firebase, FIREBASE_AUTH_EMULATOR_HOST: host },
      'FIREBASE_AUTH_EMULATOR_HOST: ',
    ],
  ),
])('%s is rejected, with one reason', (_, variables, beginning) => {
  expect(problemsOf(variables)).toEqual([expect.stringMatching(new RegExp(`^${beginning}`))]);
});
