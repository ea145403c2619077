import { setTimeout as pause } from 'node:timers/promises';
import {
  nomicStandIn,
  startFaultProxy,
  startOllamaStandIn,
  type FaultMode,
  type OllamaFault,
} from '@portico/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createInstallation, type Installation } from '../installation.ts';
import {
  askedAnew,
  away,
  createCollection,
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
  untilStateIs,
  warningsOf,
  type Senders,
  type Traffic,
} from './traffic.ts';

const password = 'password-of-ollama-that-nobody-may-read';
const ollama = await startOllamaStandIn();
const proxy = await startFaultProxy({ host: '127.0.0.1', port: ollama.control.port });
afterAll(async () => {
  await proxy.close();
  await ollama.close();
});

/** A fault of Ollama, how it begins and how it ends. */
interface Outage {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

const onTheWay = (name: string, mode: FaultMode): Outage => ({
  name,
  begin: () => proxy.set(mode),
  end: () => proxy.set('pass'),
});

const ofAnswers = (name: string, fault: OllamaFault): Outage => ({
  name,
  begin: () => ollama.setFault(fault),
  end: () => ollama.setFault(null),
});

const outages: readonly Outage[] = [
  onTheWay('is down', 'down'),
  onTheWay('hangs', 'hang'),
  onTheWay('resets every connection', 'reset'),
  onTheWay('answers garbage', 'garbage'),
  {
    name: 'is stopped and started again',
    begin: () => ollama.control.stop(),
    end: () => ollama.control.start(),
  },
  ofAnswers('answers vectors of 767 numbers', 'shortVector'),
  ofAnswers('answers vectors without a direction', 'zero'),
];

/** How long an outage lasts beyond the checks. */
const outageMs = 1_000;
const searchFailed = { operation: 'search', status: 500, detail: 'Embedding service unavailable' } as const;
const address = () => proxy.through(`http://portico:${password}@127.0.0.1`);

interface Result {
  readonly collection_id: string;
  readonly collection_name: string;
  readonly similarity_score: number;
}

const search = ({ api }: Installation, { admin }: Senders, query: string) =>
  api.call(admin, 'POST', '/api/vector/search', { query, k_limit: 100 });

/** What the admin finds by a query not remembered; null while the answer is that the embedding service is away. */
const find = async (installation: Installation, senders: Senders, query: string): Promise<readonly Result[] | null> => {
  const { status, body } = await search(installation, senders, askedAnew(query));
  if (status === 200) return body as readonly Result[];
  expect([status, body]).toEqual([500, { detail: searchFailed.detail }]);
  return null;
};

/** Waits until the collection is found, and returns everything that is found then. */
const untilFound = (installation: Installation, senders: Senders, query: string, id: string) =>
  eventually(
    () => find(installation, senders, query),
    (results) => results?.some((result) => result.collection_id === id) ?? false,
  ).then((results) => results ?? []);

const scoreOf = (results: readonly Result[], id: string) =>
  results.find((result) => result.collection_id === id)?.similarity_score;

const expectNoSecretInLog = (installation: Installation, { client }: Senders) => {
  const { text } = logOf(installation);
  for (const secret of [password, Buffer.from(`portico:${password}`).toString('base64'), client.key.secret])
    expect(text).not.toContain(secret);
};

const startInstallation = async (): Promise<{ installation: Installation; senders: Senders }> => {
  const installation = await createInstallation({ ...trafficVariables, OLLAMA_URL: address() });
  await installation.start();
  const admin = await installation.admin();
  return { installation, senders: await prepareSenders(installation.api, admin, (uid) => installation.person(uid)) };
};

describe('Ollama (stand-in)', () => {
  describe('away when the service starts', () => {
    let installation: Installation;
    afterEach(() => installation.remove());

    test('does not delay the start: collections can be created, and are found once it is back', async () => {
      await proxy.set('down');
      const started = await startInstallation();
      installation = started.installation;
      const { api } = installation;
      const { senders } = started;
      expect(await find(installation, senders, 'weather forecast')).toBeNull();
      expect(await stateOf(api, 'embedder')).toEqual(away);
      const { status, body } = await api.call(null, 'GET', '/api/vector/health');
      expect([status, body]).toMatchObject([
        503,
        { status: 'unavailable', embedder: { status: 'unavailable' }, index: { status: 'healthy' } },
      ]);
      await proxy.set('pass');
      await untilFound(installation, senders, 'weather forecast', senders.collection);
      await untilStateIs(api, 'embedder', present);
      expect((await api.call(null, 'GET', '/api/vector/health')).status).toBe(200);
      expect(warningsOf(installation).some((message) => message.startsWith('Ollama does not embed'))).toBe(true);
      expectNoSecretInLog(installation, senders);
    }, 180_000);
  });

  describe('under traffic', () => {
    let installation: Installation;
    let senders: Senders;
    let traffic: Traffic;
    beforeAll(async () => {
      await proxy.set('pass');
      ({ installation, senders } = await startInstallation());
      await untilFound(installation, senders, 'weather forecast', senders.collection);
      traffic = startTraffic(installation.api, senders);
    }, 180_000);
    afterAll(async () => {
      await traffic.stop();
      await installation.remove();
    });

    test.each(outages)(
      'that $name fails only searches not asked before; collections created and changed meanwhile are found by their new texts',
      async ({ name, begin, end }) => {
        let isOver = false;
        onTestFinished(async () => {
          if (!isOver) await end();
        });
        const { api } = installation;
        const { admin } = senders;
        const text = { name: `Tides while Ollama ${name}`, description: 'High and low water at every harbour' };
        const changed = await createCollection(api, admin, `Changed while Ollama ${name}`, 'Nothing of the sea');
        await untilFound(installation, senders, text.name, changed);
        const { status: askedBefore } = await search(installation, senders, text.name);
        let made = '';
        const seen = await traffic.during(async () => {
          await begin();
          expect(await find(installation, senders, text.name)).toBeNull();
          const { status: askedAgain } = await search(installation, senders, text.name);
          expect([askedBefore, askedAgain]).toEqual([200, 200]);
          made = await createCollection(api, admin, text.name, text.description);
          await api.ask(admin, 'PUT', `/api/collections/${changed}`, text);
          await pause(outageMs);
          expect(await find(installation, senders, text.name)).toBeNull();
          expect(await stateOf(api, 'embedder')).toEqual(away);
          const { status, body } = await api.call(null, 'GET', '/api/vector/health');
          expect([status, body]).toMatchObject([
            503,
            { embedder: { status: 'unavailable', model: null }, index: { status: 'healthy' } },
          ]);
        });
        expect(failures(seen, [searchFailed])).toEqual({});
        expect(failures(seen)).not.toEqual({});
        expect(late(seen)).toEqual([]);

        await end();
        isOver = true;
        await eventually(
          () => find(installation, senders, text.name),
          (results) => results !== null,
        );
        // An embedding made from a bad answer would score differently.
        const twin = await createCollection(api, admin, text.name, text.description);
        const results = await eventually(
          () => untilFound(installation, senders, text.name, twin),
          (found) => [made, changed].every((id) => scoreOf(found, id) === scoreOf(found, twin)),
        );
        expect(scoreOf(results, twin)).toBeGreaterThan(0);
        await untilStateIs(api, 'embedder', present);
        expect((await api.call(null, 'GET', '/api/vector/health')).status).toBe(200);
        expectNoSecretInLog(installation, senders);
      },
      180_000,
    );

    test('that hangs delays no other requests', async () => {
      await eventually(
        () => find(installation, senders, 'weather forecast'),
        (results) => results !== null,
      );
      onTestFinished(() => proxy.set('pass'));
      const seen = await traffic.during(async () => {
        await proxy.set('hang');
        // It waits as long as a query may, because the breaker is still closed.
        expect(await find(installation, senders, 'weather forecast')).toBeNull();
        // At once: if more searches failed as well, the breaker would open for some seconds.
        await proxy.set('pass');
      });
      expect(failures(seen, [searchFailed])).toEqual({});
      // A delayed lane would send as little as the searches that waited; a search refused at once was not delayed.
      const waited = seen.filter(({ operation, status, ms }) => operation === 'search' && status === 500 && ms > 1_000);
      const { read = 0, list = 0, 'write audit': written = 0 } = sent(seen);
      expect(Math.min(read, list, written)).toBeGreaterThan(waited.length);
    }, 180_000);

    test('whose model has changed causes re-embedding, and no vectors of different models are compared', async () => {
      const { api } = installation;
      const { admin, client } = senders;
      const topics = ['Snow', 'Wind', 'Sun', 'Fog'];
      for (const topic of topics) {
        const id = await createCollection(api, admin, topic, `${topic} and rain in a city`);
        await api.ask(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);
      }
      const scores = async (): Promise<Readonly<Record<string, number>>> => {
        const query = askedAnew('rain in a city');
        const found = await api.ask<Result[]>(client.key, 'POST', '/api/vector/search', { query });
        return Object.fromEntries(found.map((result) => [result.collection_name, result.similarity_score]));
      };
      const isWhole = (found: Readonly<Record<string, number>>) => Object.keys(found).length === topics.length + 1;
      await eventually(scores, isWhole);

      const meanwhile: Readonly<Record<string, number>>[] = [];
      ollama.install({ ...nomicStandIn, digest: nomicStandIn.digest.split('').toReversed().join('') });
      const seen = await traffic.during(() =>
        eventually(
          async () => {
            meanwhile.push(await scores());
            return meanwhile.at(-1) ?? {};
          },
          isWhole,
          150_000,
        ),
      );
      const last = await scores();
      // The stand-in's vectors of one model are about as far as possible from those of the other.
      expect(Math.min(...Object.values(last))).toBeGreaterThan(0.2);
      for (const found of meanwhile) expect(last).toMatchObject(found);
      expect(meanwhile.some((found) => !isWhole(found))).toBe(true);
      expect(failures(seen)).toEqual({});
      const told = logOf(installation).lines.map(({ msg }) => msg);
      expect(told.some((msg) => /^The embedding model is now .+ \(was /.test(msg))).toBe(true);
    }, 200_000);
  });
});
