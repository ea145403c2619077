import { expect, test } from 'vitest';
import type { ApiCredential } from '../operations/credentials.ts';
import { placeCredentials, secretsOf, toSentValue } from './place-credentials.ts';

const createCredential = (overrides: Partial<ApiCredential>): ApiCredential => ({
  scheme: 'key',
  type: 'apiKey',
  in: 'header',
  name: 'X-Key',
  prefix: null,
  scopes: [],
  tokenUrl: null,
  hint: null,
  isStored: true,
  ...overrides,
});

const request = {
  method: 'GET',
  url: 'https://api.example/items?limit=5',
  headers: [
    ['Accept', 'application/json'],
    ['Cookie', 'theme=dark'],
  ],
} as const;

test('a credential in a header is added after its prefix', () => {
  const credential = createCredential({ type: 'bearer', name: 'Authorization', prefix: 'Bearer ' });
  const placed = placeCredentials(request, [{ credential, value: 'token' }]);
  expect(placed).toEqual({
    ...request,
    headers: [...request.headers, ['Authorization', 'Bearer token']],
  });
});

test('a header with the name of the credential is replaced, in upper or lower case', () => {
  const headers = [['x-KEY', 'mine']] as const;
  const placed = placeCredentials({ ...request, headers }, [{ credential: createCredential({}), value: 'secret' }]);
  expect(placed.headers).toEqual([['X-Key', 'secret']]);
});

test('a credential in the query is encoded and added to the others', () => {
  const credential = createCredential({ in: 'query', name: 'api key' });
  const placed = placeCredentials(request, [{ credential, value: 'a&b=c#d' }]);
  expect(placed.url).toBe('https://api.example/items?limit=5&api%20key=a%26b%3Dc%23d');
});

test.each([
  'https://api.example/items?key=mine',
  'https://api.example/items?a=b&k%65y=mine',
  'https://api.example/?key',
])('an argument cannot take the place of a credential in the query: %s', (url) => {
  const credential = createCredential({ in: 'query', name: 'key' });
  expect(() => placeCredentials({ ...request, url }, [{ credential, value: 'secret' }])).toThrow('Invalid arguments');
});

test('a credential in a cookie is added to the cookies of the request', () => {
  const credential = createCredential({ in: 'cookie', name: 'session' });
  const placed = placeCredentials(request, [{ credential, value: 'a+b/c==' }]);
  expect(placed.headers).toEqual([
    ['Accept', 'application/json'],
    ['Cookie', 'theme=dark; session=a+b/c=='],
  ]);
  expect(placeCredentials(request, [{ credential, value: 'a; b' }]).headers).toContainEqual([
    'Cookie',
    'theme=dark; session=a%3B%20b',
  ]);
});

test('an argument cannot take the place of a credential in a cookie', () => {
  const credential = createCredential({ in: 'cookie', name: 'theme' });
  expect(() => placeCredentials(request, [{ credential, value: 'secret' }])).toThrow('Invalid arguments');
});

test('credentials that belong together are all added', () => {
  const placed = placeCredentials(request, [
    { credential: createCredential({}), value: 'one' },
    { credential: createCredential({ name: 'X-Second' }), value: 'two' },
  ]);
  expect(placed.headers.slice(-2)).toEqual([
    ['X-Key', 'one'],
    ['X-Second', 'two'],
  ]);
});

test.each([
  ['apiKey', 'Bearer x', 'Bearer x'],
  ['bearer', 'bearer x', 'x'],
  ['oauth2', 'Bearer x', 'x'],
  ['basic', 'user:password', 'dXNlcjpwYXNzd29yZA=='],
  ['basic', 'Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA=='],
] as const)('a stored %s credential %s is sent as %s', (type, value, sentValue) => {
  expect(toSentValue(type, value)).toBe(sentValue);
});

test.each([
  ['apiKey', 'key', ['key', 'key']],
  ['bearer', 'Bearer x', ['x', 'Bearer x']],
  ['basic', 'user:pass:wörd', ['dXNlcjpwYXNzOnfDtnJk', 'user:pass:wörd', 'pass:wörd']],
  ['basic', 'dXNlcjpwYXNzOnfDtnJk', ['dXNlcjpwYXNzOnfDtnJk', 'dXNlcjpwYXNzOnfDtnJk', 'pass:wörd']],
  ['basic', 'not base64', ['not base64', 'not base64', '']],
] as const)('a response to a %s credential %s must not contain %j', (type, value, secrets) => {
  expect(secretsOf(type, value)).toEqual(secrets);
});
