import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy, startIdentityProvider, type FaultMode } from '@portico/test-servers';
import { describe, expect, test, type TestContext } from 'vitest';
import type { Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  away,
  eventually,
  failures,
  late,
  logOf,
  prepareSenders,
  present,
  sent,
  startTraffic,
  stateOf,
  trafficVariables,
  warningsOf,
  type Operation,
  type Senders,
} from './traffic.ts';

const root = { uid: 'root', email: 'root@example.com' } as const;
const notFetched = 'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h';
const operations: readonly Operation[] = ['read', 'list', 'search', 'write audit', 'create'];
const undecided = operations.map((operation) => ({ operation, status: 500, detail: 'Identity provider unavailable' }));

/** Six services run side by side. */
const slow = { pauseMs: 100 };
/** The keys are fetched again after at most a minute. */
const patienceMs = 90_000;
const testMs = 240_000;

/** A provider whose keys are fetched through a proxy, so that users can sign in while the service cannot reach it. */
const prepare = async ({ onTestFinished }: TestContext, more: Readonly<Record<string, string>> = {}) => {
  const provider = await startIdentityProvider();
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(provider.issuer).port) });
  const installation = await createInstallation({
    ...trafficVariables,
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    IDENTITY_JWKS_URL: proxy.through(`${provider.issuer}/jwks`),
    BOOTSTRAP_ADMIN_UID: root.uid,
    BOOTSTRAP_ADMIN_EMAIL: root.email,
    ...more,
  });
  onTestFinished(async () => {
    await installation.remove();
    await proxy.close();
    await provider.close();
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
    installation,
    signIn,
    /** Signs in with a token whose key the service has not seen. */
    signInByNewKey: (): Promise<Credential> => {
      provider.rotate();
      return signIn(root.uid, root.email);
    },
    senders: async (): Promise<Senders> => prepareSenders(installation.api, await signIn(root.uid, root.email), signIn),
    expectNoSecretInLog: ({ client }: Senders) => {
      const { text } = logOf(installation);
      for (const secret of [client.key.secret, ...tokens]) expect(text).not.toContain(secret);
    },
  };
};

const listStatus = async ({ api }: Installation, caller: Credential): Promise<number> =>
  (await api.call(caller, 'GET', '/api/collections/')).status;

const outages: readonly { readonly name: string; readonly mode: FaultMode }[] = [
  { name: 'be down', mode: 'down' },
  { name: 'hang', mode: 'hang' },
  { name: 'reset every connection', mode: 'reset' },
  { name: 'answer garbage', mode: 'garbage' },
];

describe.concurrent('the identity provider', () => {
  test(
    'may be down from the start: API keys work, and tokens too once it is back',
    async (context) => {
      // The local issuer serves only the preparations: it does not need the provider.
      const local = { IDENTITY_LOCAL: 'true', BOOTSTRAP_ADMIN_UID: '', BOOTSTRAP_ADMIN_EMAIL: '' };
      const { proxy, installation, signIn, expectNoSecretInLog } = await prepare(context, local);
      await proxy.set('down');
      const { api, start, tool } = installation;
      await start();
      const operator = { token: (await tool('token', '--admin')).stdout.trim() };
      const senders = await prepareSenders(api, operator, signIn);
      const ada = senders.client.token;
      const traffic = startTraffic(api, senders, slow);
      const during = await traffic.during(async () => {
        const { status, body } = await api.call(ada, 'GET', '/api/collections/');
        expect([status, body]).toEqual([500, { detail: 'Identity provider unavailable' }]);
        expect(await stateOf(api, 'identity')).toEqual(away);
        await pause(2_000);
      });
      expect(failures(during.filter(({ by }) => by === 'key'))).toEqual({});
      expect(failures(during, undecided)).toEqual({});
      expect(sent(during).metadata).toBeGreaterThan(0);
      expect(late(during)).toEqual([]);

      await proxy.set('pass');
      await eventually(
        () => listStatus(installation, ada),
        (status) => status === 200,
        patienceMs,
      );
      expect(failures(await traffic.during(500))).toEqual({});
      await traffic.stop();
      expect(await stateOf(api, 'identity')).toEqual(present);
      expect(warningsOf(installation)).toContain(notFetched);
      expectNoSecretInLog(senders);
    },
    testMs,
  );

  test(
    'may be down during a restart of the service: tokens of known keys pass, because the keys were stored',
    async (context) => {
      // Discovery finds the keys, as in most installations.
      const stage = await prepare(context, { IDENTITY_JWKS_URL: '' });
      const { provider, installation, expectNoSecretInLog } = stage;
      const { api, start } = installation;
      const service = await start();
      const senders = await stage.senders();
      expect(await listStatus(installation, senders.client.token)).toBe(200);
      const strange = await stage.signInByNewKey();
      await service.stop();
      await provider.control.stop();
      await start();
      const traffic = startTraffic(api, senders, slow);
      const seen = await traffic.during(async () => {
        expect(await listStatus(installation, senders.client.token)).toBe(200);
        // A failed fetch for an unknown key does no harm.
        expect(await listStatus(installation, strange)).toBe(401);
        expect(await stateOf(api, 'identity')).toEqual(away);
        await pause(1_000);
      });
      await traffic.stop();
      expect(failures(seen)).toEqual({});
      expectNoSecretInLog(senders);
    },
    testMs,
  );

  test.for(outages)(
    'may $name: tokens of known keys pass without waiting, those of a new key once it is back',
    { timeout: testMs },
    async ({ mode }, context) => {
      const stage = await prepare(context);
      const { provider, proxy, installation, expectNoSecretInLog } = stage;
      const { api, start } = installation;
      const service = await start();
      const senders = await stage.senders();
      expect(await listStatus(installation, senders.client.token)).toBe(200);
      const strange = await stage.signInByNewKey();
      // A process that has fetched the keys within the last 30 s does not fetch an unknown one; a new process does.
      await service.stop();
      await start();
      const traffic = startTraffic(api, senders, slow);
      expect(failures(await traffic.during(500))).toEqual({});
      await proxy.set(mode);
      const seen = await traffic.during(async () => {
        expect(await listStatus(installation, strange)).toBe(401);
        expect(await stateOf(api, 'identity')).toEqual(away);
      });
      expect(failures(seen)).toEqual({});
      expect(late(seen)).toEqual([]);
      // While one request waited for the keys, the others were answered: otherwise each search lane would have sent
      // one.
      if (mode === 'hang') expect(sent(seen).search).toBeGreaterThan(2);

      const askedBefore = provider.requests().keys;
      // Otherwise the hung requests would arrive after all.
      proxy.dropAll();
      await proxy.set('pass');
      const back = await traffic.during(() =>
        eventually(
          () => listStatus(installation, strange),
          (status) => status === 200,
          patienceMs,
        ),
      );
      await traffic.stop();
      expect(failures(back)).toEqual({});
      // One fetch, however often the token was refused until then.
      expect(provider.requests().keys - askedBefore).toBe(1);
      expect(await stateOf(api, 'identity')).toEqual(present);
      expect(warningsOf(installation)).toContain(notFetched);
      expectNoSecretInLog(senders);
    },
  );
});
