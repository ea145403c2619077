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
const signInWaysOf = (variables: Environment) => readConfig(variables).signInWays;

const problemsOf = (variables: Environment): readonly string[] => {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};

test('with no variables set, people sign in with a one-time code of the local issuer', () => {
  expect(signInWaysOf({})).toEqual([
    {
      kind: 'local',
      name: 'one-time code',
      issuer: 'https://local-issuer.portico.invalid',
      metadataUrl: '/local-issuer/.well-known/openid-configuration',
      clientId: 'portico',
      scopes: 'openid email',
    },
  ]);
});

test('people sign in with the issuer, and the first audience is the client id', () => {
  const signInWay = {
    kind: 'oidc',
    name: 'id.example.com',
    issuer: 'https://id.example.com/realms/portico',
    metadataUrl: 'https://id.example.com/realms/portico/.well-known/openid-configuration',
    clientId: 'portico',
    scopes: 'openid email profile',
  };
  expect(signInWaysOf(issuer)).toEqual([signInWay]);
  expect(signInWaysOf({ ...issuer, IDENTITY_AUDIENCE: 'console,tool' })).toEqual([
    { ...signInWay, clientId: 'console' },
  ]);
  const customVariables = {
    IDENTITY_CONSOLE_CLIENT_ID: 'tool',
    IDENTITY_CONSOLE_SCOPES: ' openid  email offline_access ',
  };
  expect(signInWaysOf({ ...issuer, IDENTITY_AUDIENCE: 'console,tool', ...customVariables })).toEqual([
    { ...signInWay, clientId: 'tool', scopes: 'openid email offline_access' },
  ]);
});

test('the trailing slash of an issuer is removed only in the URL of its metadata', () => {
  const [signInWay] = signInWaysOf({ ...issuer, IDENTITY_ISSUER: 'https://tenant.auth0.com/' });
  expect(signInWay).toMatchObject({
    issuer: 'https://tenant.auth0.com/',
    metadataUrl: 'https://tenant.auth0.com/.well-known/openid-configuration',
  });
});

test('the local issuer comes after a configured one', () => {
  expect(signInWaysOf({ ...issuer, IDENTITY_LOCAL: 'true' }).map(({ kind }) => kind)).toEqual(['oidc', 'local']);
});

test('with a Firebase API key, people sign in with email address and password', () => {
  expect(signInWaysOf({ ...production, ...firebase })).toEqual([
    {
      kind: 'firebase',
      name: 'Firebase',
      apiKey: 'AIzaSyExample_-1',
      signInUrl: 'https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      tokenUrl: 'https://securetoken.googleapis.com/v1/token',
    },
  ]);
});

test('a Firebase emulator replaces the two hosts of Firebase, regardless of the issuer', () => {
  const emulatorVariables = { ...firebase, ...issuer, FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' };
  expect(signInWaysOf(emulatorVariables)).toEqual([
    {
      kind: 'firebase',
      name: 'Firebase',
      apiKey: 'AIzaSyExample_-1',
      signInUrl: 'http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      tokenUrl: 'http://127.0.0.1:9099/securetoken.googleapis.com/v1/token',
    },
  ]);
  expect(signInWaysOf({ ...issuer, FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099' })).toEqual(signInWaysOf(issuer));
});

test.each<[string, Environment, string]>([
  ['a client id without an issuer', { IDENTITY_CONSOLE_CLIENT_ID: 'portico' }, 'IDENTITY_ISSUER is missing'],
  ['a client id with a space', { ...issuer, IDENTITY_CONSOLE_CLIENT_ID: 'a b' }, 'IDENTITY_CONSOLE_CLIENT_ID: '],
  ['scopes without openid', { ...issuer, IDENTITY_CONSOLE_SCOPES: 'email profile' }, 'IDENTITY_CONSOLE_SCOPES: '],
  ['scopes with commas', { ...issuer, IDENTITY_CONSOLE_SCOPES: 'openid,email' }, 'IDENTITY_CONSOLE_SCOPES: '],
  ['scopes with quotes', { ...issuer, IDENTITY_CONSOLE_SCOPES: 'openid "email"' }, 'IDENTITY_CONSOLE_SCOPES: '],
  ['an API key without an issuer', { IDENTITY_FIREBASE_API_KEY: 'key' }, 'IDENTITY_FIREBASE_API_KEY needs'],
  ['an API key for a different issuer', { ...firebase, ...issuer }, 'IDENTITY_FIREBASE_API_KEY needs'],
  [
    'an API key for an issuer whose name only begins with that of Firebase',
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
])('%s is rejected, with a single reason', (_, variables, messageStart) => {
  expect(problemsOf(variables)).toEqual([expect.stringMatching(new RegExp(`^${messageStart}`))]);
});
