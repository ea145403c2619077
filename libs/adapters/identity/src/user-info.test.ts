import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock, recordLog } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { startProvider, respondUnavailable, type Responder } from '../test/loopback-provider.ts';
import { longTimeoutMs, outcomeOf, useStoppedTime } from '../test/provider-and-verifier.ts';
import { documentMaxBytes } from './provider-documents.ts';
import { answerRetryMs, answerTtlMs, UserInfo } from './user-info.ts';

const alice = { sub: 'alice', email: 'alice@example.com', email_verified: true };
const aliceEmail = { email: 'alice@example.com', emailVerified: true };

const respondWith =
  (claims: unknown): Responder =>
  (response) =>
    void response.end(typeof claims === 'string' ? claims : JSON.stringify(claims));

const start = async (timeoutMs = longTimeoutMs) => {
  const provider = await startProvider([]);
  const clock = new ManualClock();
  const warnings: string[] = [];
  const log = { ...recordLog(), warn: (_fields: object, message: string) => void warnings.push(message) };
  const userInfo = new UserInfo({ issuer: provider.issuer, clock, timeoutMs, log });
  onTestFinished(() => userInfo.close());
  return { provider, clock, warnings, userInfo };
};

test('the token is sent as a bearer token, and the response is used for a while, whichever token is presented', async () => {
  const { provider, clock, userInfo } = await start();
  const authorizations: unknown[] = [];
  provider.onUserInfoRequest((response, { headers }) => {
    authorizations.push(headers.authorization);
    response.end(JSON.stringify(alice));
  });
  const read = async () => [await userInfo.read('token-1', 'alice'), await userInfo.read('token-2', 'alice')];
  expect(await Promise.all([read(), read()])).toEqual([
    [aliceEmail, aliceEmail],
    [aliceEmail, aliceEmail],
  ]);
  clock.advance(answerTtlMs);
  expect([authorizations, provider.requests.discovery]).toEqual([['Bearer token-1'], 1]);
  clock.advance(1);
  await read();
  expect([authorizations.length, provider.requests.discovery]).toEqual([2, 1]);
});

test.each<[string, Responder, RegExp | null]>([
  ['refuses the token', (response) => void response.writeHead(401).end(), null],
  ['refuses the scope', (response) => void response.writeHead(403).end(), null],
  ['reports a different user', respondWith({ ...alice, sub: 'Alice' }), /different user/],
  ['reports no user', respondWith({ email: alice.email }), /different user/],
  ['sends a signed response', respondWith('e30.e30.e30'), /not a JSON object/],
  ['sends null', respondWith('null'), /not a JSON object/],
])('an issuer that %s reports nothing, and is not asked again at once', async (_case, responder, warning) => {
  const { provider, warnings, userInfo } = await start();
  provider.onUserInfoRequest(responder);
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await userInfo.read('token', 'alice')).toBeNull();
  expect(provider.requests.userInfo).toBe(1);
  expect(warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
});

test.each([
  [{ sub: 'alice' }, { email: null, emailVerified: false }],
  [
    { ...alice, email: '' },
    { email: null, emailVerified: true },
  ],
  [
    { ...alice, email: 7 },
    { email: null, emailVerified: true },
  ],
  [{ ...alice, email_verified: 'true' }, aliceEmail],
  [
    { ...alice, email_verified: 1 },
    { ...aliceEmail, emailVerified: false },
  ],
])('the response %j reports %j', async (claims, expected) => {
  const { provider, userInfo } = await start();
  provider.onUserInfoRequest(respondWith(claims));
  expect(await userInfo.read('token', 'alice')).toEqual(expected);
});

test.each<[string, string | null]>([
  ['names no endpoint', null],
  ['names an endpoint that is not a string', '7'],
])('an issuer whose discovery document %s reports nothing', async (_case, endpoint) => {
  const { provider, userInfo } = await start();
  const document = {
    issuer: provider.issuer,
    ...(endpoint === null ? {} : { userinfo_endpoint: JSON.parse(endpoint) as unknown }),
  };
  provider.onDiscoveryRequest(respondWith(document));
  expect(await userInfo.read('token', 'alice')).toBeNull();
  expect(provider.requests.userInfo).toBe(0);
});

test('an issuer without a discovery document reports nothing', async () => {
  const { provider, userInfo } = await start();
  provider.onDiscoveryRequest((response) => void response.writeHead(404).end());
  expect(await userInfo.read('token', 'alice')).toBeNull();
});

const failures: readonly [string, Responder][] = [
  ['is unavailable', respondUnavailable],
  ['limits the rate', (response) => void response.writeHead(429).end()],
  ['sends too much', respondWith(' '.repeat(documentMaxBytes + 1))],
  ['breaks the connection', (response) => void response.destroy()],
];

test.each(failures)(
  'if the issuer %s, its answer is unknown, and it is asked again after a pause',
  async (_case, fail) => {
    const { provider, clock, warnings, userInfo } = await start();
    provider.onUserInfoRequest(fail);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await outcomeOf(userInfo.read('token', 'alice'))).toBe('identity_unavailable');
    expect([provider.requests.userInfo, warnings]).toEqual([1, [expect.stringMatching(/could not be asked/)]]);
    provider.onUserInfoRequest(respondWith(alice));
    clock.advance(answerRetryMs + 1);
    expect(await userInfo.read('token', 'alice')).toEqual(aliceEmail);
  },
);

test('a token is not sent to where the issuer redirects', async () => {
  const { provider, userInfo } = await start();
  let stolenTokens = 0;
  const thief = createServer((_request, response) => {
    stolenTokens += 1;
    response.end(JSON.stringify(alice));
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void thief.close());
  const Location = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`;
  provider.onUserInfoRequest((response) => void response.writeHead(307, { Location }).end());
  expect(await outcomeOf(userInfo.read('token', 'alice'))).toBe('identity_unavailable');
  expect(stolenTokens).toBe(0);
});

test.each(['http://id.example.com/me', 'https://alice:secret@id.example.com/me', 'ftp://id.example.com/me', '/me'])(
  'a token is not sent to the endpoint %s',
  async (userinfo_endpoint) => {
    const { provider, userInfo } = await start();
    provider.onDiscoveryRequest(respondWith({ issuer: provider.issuer, userinfo_endpoint }));
    expect(await outcomeOf(userInfo.read('token', 'alice'))).toBe('identity_unavailable');
  },
);

test('the discovery document of a different issuer is not used', async () => {
  const { provider, userInfo } = await start();
  const document = { issuer: `${provider.issuer}/other`, userinfo_endpoint: `${provider.issuer}/me` };
  provider.onDiscoveryRequest(respondWith(document));
  expect(await outcomeOf(userInfo.read('token', 'alice'))).toBe('identity_unavailable');
  expect(provider.requests.userInfo).toBe(0);
});

test('an issuer that does not answer in time is unavailable', async () => {
  const time = useStoppedTime();
  const { provider, userInfo } = await start(3_000);
  const hasArrived = new Promise<void>((resolve) => provider.onUserInfoRequest(() => resolve()));
  const outcome = outcomeOf(userInfo.read('token', 'alice'));
  await hasArrived;
  await time.advance(3_000);
  expect(await outcome).toBe('identity_unavailable');
});

test('closing aborts a request, without a warning', async () => {
  const { provider, warnings, userInfo } = await start();
  const hasArrived = new Promise<void>((resolve) => provider.onUserInfoRequest(() => resolve()));
  const outcome = outcomeOf(userInfo.read('token', 'alice'));
  await hasArrived;
  await userInfo.close();
  expect([await outcome, warnings]).toEqual(['identity_unavailable', []]);
});
