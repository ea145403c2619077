import { startFaultProxy, startIdentityProvider, type FaultMode } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import type { Credential } from '../../src/api-client.ts';
import { askEverything, openStage, untilStateIs, type Stage } from './stage.ts';
import { away, failures, prepareSenders, present, trafficVariables, type Operation } from './traffic.ts';

const root = { uid: 'root', email: 'root@example.com' } as const;
const notFetched = 'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h';
const operations: readonly Operation[] = ['read', 'list', 'search', 'write audit', 'create'];
const undecided = operations.map((operation) => ({ operation, status: 500, detail: 'Identity provider unavailable' }));
/** A key that is not known is asked for at most this often. */
const unknownKeyMs = 30_000;

/** A provider whose keys are fetched through a proxy, so that users can sign in while the service cannot reach it. */
const prepare = async (more: Readonly<Record<string, string>> = {}) => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.close());
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(provider.issuer).port) });
  onTestFinished(() => proxy.close());
  const stage = openStage({
    ...trafficVariables,
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    IDENTITY_JWKS_URL: proxy.through(`${provider.issuer}/jwks`),
    BOOTSTRAP_ADMIN_UID: root.uid,
    BOOTSTRAP_ADMIN_EMAIL: root.email,
    ...more,
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
    stage,
    signIn,
    /** Signs in with a token whose key the service has not seen. */
    signInByNewKey: (): Promise<Credential> => {
      provider.rotate();
      return signIn(root.uid, root.email);
    },
    senders: async () => prepareSenders(stage.api, await signIn(root.uid, root.email), signIn),
    expectNoSecretInLog: (secret: string) => {
      for (const each of [secret, ...tokens]) expect(stage.log().text).not.toContain(each);
    },
  };
};

const listStatus = async ({ api }: Stage, caller: Credential): Promise<number> =>
  (await api.call(caller, 'GET', '/api/collections/')).status;

test('the identity provider may be down from the start: API keys work, and tokens too once it is back', async () => {
  // The local issuer serves only the preparations: it does not need the provider.
  const local = { IDENTITY_LOCAL: 'true', BOOTSTRAP_ADMIN_UID: '', BOOTSTRAP_ADMIN_EMAIL: '' };
  const { proxy, stage, signIn, expectNoSecretInLog } = await prepare(local);
  const { time, start, mint } = stage;
  await proxy.set('down');
  await start();
  const senders = await prepareSenders(stage.api, await mint(), signIn);
  const ada = senders.client.token;
  const { status, body } = await stage.api.call(ada, 'GET', '/api/collections/');
  expect([status, body]).toEqual([500, { detail: 'Identity provider unavailable' }]);
  await untilStateIs(stage, 'identity', away);
  const during = await askEverything(stage, senders);
  expect(failures(during.filter(({ by }) => by === 'key'))).toEqual({});
  expect(failures(during, undecided)).toEqual({});

  await proxy.set('pass');
  await time.passUntilSucceeds(async () => expect(await listStatus(stage, ada)).toBe(200));
  expect(failures(await askEverything(stage, senders))).toEqual({});
  await untilStateIs(stage, 'identity', present);
  expect(stage.warnings()).toContain(notFetched);
  expectNoSecretInLog(senders.client.key.secret);
});

test('it may be down during a restart of the service: tokens of known keys pass, because the keys were stored', async () => {
  // Discovery finds the keys, as in most installations.
  const prepared = await prepare({ IDENTITY_JWKS_URL: '' });
  const { provider, stage, expectNoSecretInLog } = prepared;
  await stage.start();
  const senders = await prepared.senders();
  expect(await listStatus(stage, senders.client.token)).toBe(200);
  const strange = await prepared.signInByNewKey();
  await stage.stop();
  await provider.control.stop();
  await stage.start();
  expect(await listStatus(stage, senders.client.token)).toBe(200);
  // A failed fetch for an unknown key does no harm.
  expect(await listStatus(stage, strange)).toBe(401);
  await untilStateIs(stage, 'identity', away);
  expect(failures(await askEverything(stage, senders))).toEqual({});
  expectNoSecretInLog(senders.client.key.secret);
});

test.each<[string, FaultMode]>([
  ['be down', 'down'],
  ['hang', 'hang'],
  ['reset every connection', 'reset'],
  ['answer garbage', 'garbage'],
])('it may %s: tokens of known keys pass without waiting, those of a new key once it is back', async (_what, mode) => {
  const prepared = await prepare();
  const { provider, proxy, stage, expectNoSecretInLog } = prepared;
  const { time } = stage;
  await stage.start();
  const senders = await prepared.senders();
  expect(failures(await askEverything(stage, senders))).toEqual({});
  const strange = await prepared.signInByNewKey();
  await time.pass(unknownKeyMs);
  await proxy.set(mode);
  const refused = listStatus(stage, strange);
  // While one request waits for the keys, the others are answered.
  expect(failures(await askEverything(stage, senders))).toEqual({});
  expect(await time.passUntil(refused)).toBe(401);
  await untilStateIs(stage, 'identity', away);
  expect(failures(await askEverything(stage, senders))).toEqual({});

  const askedBefore = provider.requests().keys;
  // Otherwise the hung requests would arrive after all.
  proxy.dropAll();
  await proxy.set('pass');
  for (let passedMs = 0; passedMs < unknownKeyMs; passedMs += 10_000) {
    expect(await listStatus(stage, strange)).toBe(401);
    await time.pass(10_000);
  }
  await time.passUntilSucceeds(async () => expect(await listStatus(stage, strange)).toBe(200));
  // One fetch, however often the token was refused until then.
  expect(provider.requests().keys - askedBefore).toBe(1);
  expect(failures(await askEverything(stage, senders))).toEqual({});
  await untilStateIs(stage, 'identity', present);
  expect(stage.warnings()).toContain(notFetched);
  expectNoSecretInLog(senders.client.key.secret);
});
