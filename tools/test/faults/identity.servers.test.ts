import { startFaultProxy, startIdentityProvider, type FaultMode } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import type { Credential } from '../../src/api-client.ts';
import { sendEachOperation, createServiceHarness, waitForState, type ServiceHarness } from './service-harness.ts';
import {
  unavailableState,
  countFailures,
  prepareCallers,
  availableState,
  trafficVariables,
  type Operation,
} from './traffic.ts';

const root = { uid: 'root', email: 'root@example.com' } as const;
const keysNotFetchedMessage =
  'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h';
const operations: readonly Operation[] = ['read', 'list', 'search', 'write audit', 'create'];
const identityFailures = operations.map((operation) => ({
  operation,
  status: 500,
  detail: 'Identity provider unavailable',
}));
/** The minimum interval between requests for unknown keys. */
const unknownKeyIntervalMs = 30_000;

/** Starts a provider with a proxy for its keys only, so that users can sign in while the service cannot reach it. */
const prepare = async (otherVariables: Readonly<Record<string, string>> = {}) => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.close());
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(provider.issuer).port) });
  onTestFinished(() => proxy.close());
  const harness = createServiceHarness({
    ...trafficVariables,
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    IDENTITY_JWKS_URL: proxy.rewriteUrl(`${provider.issuer}/jwks`),
    BOOTSTRAP_ADMIN_UID: root.uid,
    BOOTSTRAP_ADMIN_EMAIL: root.email,
    ...otherVariables,
  });
  const tokens: string[] = [];
  const signIn = async (uid: string, email: string): Promise<Credential> => {
    const { idToken } = await provider.signIn({ uid, email, emailVerified: true });
    tokens.push(idToken);
    return { token: idToken };
  };
  return {
    provider,
    proxy,
    harness,
    signIn,
    /** Signs in with a token that is signed with a key the service has not seen. */
    signInWithNewKey: (): Promise<Credential> => {
      provider.rotate();
      return signIn(root.uid, root.email);
    },
    createCallers: async () => prepareCallers(harness.api, await signIn(root.uid, root.email), signIn),
    expectNoSecretInLog: (secret: string) => {
      for (const secretText of [secret, ...tokens]) expect(harness.readLog().text).not.toContain(secretText);
    },
  };
};

const listStatus = async ({ api }: ServiceHarness, caller: Credential): Promise<number> =>
  (await api.call(caller, 'GET', '/api/collections/')).status;

test('if the identity provider is down at startup, API keys work, and tokens work when it is available', async () => {
  // The local issuer is used only for the setup, because it does not need the provider.
  const localVariables = { IDENTITY_LOCAL: 'true', BOOTSTRAP_ADMIN_UID: '', BOOTSTRAP_ADMIN_EMAIL: '' };
  const { proxy, harness, signIn, expectNoSecretInLog } = await prepare(localVariables);
  const { time, start, mint } = harness;
  await proxy.set('down');
  await start();
  const callers = await prepareCallers(harness.api, await mint(), signIn);
  const ada = callers.client.token;
  const { status, body } = await harness.api.call(ada, 'GET', '/api/collections/');
  expect([status, body]).toEqual([500, { detail: 'Identity provider unavailable' }]);
  await waitForState(harness, 'identity', unavailableState);
  const exchanges = await sendEachOperation(harness, callers);
  expect(countFailures(exchanges.filter(({ credentialType }) => credentialType === 'key'))).toEqual({});
  expect(countFailures(exchanges, identityFailures)).toEqual({});

  await proxy.set('pass');
  await time.advanceUntilSuccess(async () => expect(await listStatus(harness, ada)).toBe(200));
  expect(countFailures(await sendEachOperation(harness, callers))).toEqual({});
  await waitForState(harness, 'identity', availableState);
  expect(harness.listWarnings()).toContain(keysNotFetchedMessage);
  expectNoSecretInLog(callers.client.key.secret);
});

test('if the identity provider is down during a restart, tokens signed with stored keys are accepted', async () => {
  // The URL of the keys is discovered, as in most installations.
  const setup = await prepare({ IDENTITY_JWKS_URL: '' });
  const { provider, harness, expectNoSecretInLog } = setup;
  await harness.start();
  const callers = await setup.createCallers();
  expect(await listStatus(harness, callers.client.token)).toBe(200);
  const unknownCaller = await setup.signInWithNewKey();
  await harness.stop();
  await provider.control.stop();
  await harness.start();
  expect(await listStatus(harness, callers.client.token)).toBe(200);
  // A failed fetch for an unknown key does no harm.
  expect(await listStatus(harness, unknownCaller)).toBe(401);
  await waitForState(harness, 'identity', unavailableState);
  expect(countFailures(await sendEachOperation(harness, callers))).toEqual({});
  expectNoSecretInLog(callers.client.key.secret);
});

test.each<[string, FaultMode]>([
  ['is down', 'down'],
  ['hangs', 'hang'],
  ['resets every connection', 'reset'],
  ['responds with garbage', 'garbage'],
])('an identity provider that %s delays only tokens signed with new keys', async (_title, mode) => {
  const setup = await prepare();
  const { provider, proxy, harness, expectNoSecretInLog } = setup;
  const { time } = harness;
  await harness.start();
  const callers = await setup.createCallers();
  expect(countFailures(await sendEachOperation(harness, callers))).toEqual({});
  const unknownCaller = await setup.signInWithNewKey();
  await time.advance(unknownKeyIntervalMs);
  await proxy.set(mode);
  const rejection = listStatus(harness, unknownCaller);
  // Other requests do not wait while one request waits for the keys.
  expect(countFailures(await sendEachOperation(harness, callers))).toEqual({});
  expect(await time.advanceUntil(rejection)).toBe(401);
  await waitForState(harness, 'identity', unavailableState);
  expect(countFailures(await sendEachOperation(harness, callers))).toEqual({});

  const fetchesBefore = provider.countRequests().keys;
  // Otherwise, the hanging requests would still arrive.
  proxy.dropAll();
  await proxy.set('pass');
  for (let elapsedMs = 0; elapsedMs < unknownKeyIntervalMs; elapsedMs += 10_000) {
    expect(await listStatus(harness, unknownCaller)).toBe(401);
    await time.advance(10_000);
  }
  await time.advanceUntilSuccess(async () => expect(await listStatus(harness, unknownCaller)).toBe(200));
  // The keys are fetched once, although the token was rejected several times.
  expect(provider.countRequests().keys - fetchesBefore).toBe(1);
  expect(countFailures(await sendEachOperation(harness, callers))).toEqual({});
  await waitForState(harness, 'identity', availableState);
  expect(harness.listWarnings()).toContain(keysNotFetchedMessage);
  expectNoSecretInLog(callers.client.key.secret);
});
