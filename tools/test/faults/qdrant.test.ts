import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy, startQdrantStandIn, type FaultMode, type QdrantFault } from '@portico/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createInstallation, type Installation } from '../installation.ts';
import {
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
  type Seen,
  type Senders,
  type Traffic,
} from './traffic.ts';

const apiKey = 'key-of-qdrant-that-nobody-may-read';
const qdrant = await startQdrantStandIn({ apiKey });
const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(qdrant.url).port) });
afterAll(async () => {
  await proxy.close();
  await qdrant.close();
});

/** A fault of Qdrant, how it begins and ends, and whether `/ready` notices it by a request for the aliases. */
interface Outage {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
  readonly isSeenByProbe: boolean;
}

const onTheWay = (name: string, mode: FaultMode): Outage => ({
  name,
  begin: () => proxy.set(mode),
  end: () => proxy.set('pass'),
  isSeenByProbe: true,
});

const ofAnswers = (name: string, fault: QdrantFault, isMeant: (method: string, path: string) => boolean): Outage => ({
  name,
  begin: () => qdrant.faults.set(fault, isMeant),
  end: () => qdrant.faults.set(null),
  isSeenByProbe: false,
});

const isSearch = (_method: string, path: string) => path.endsWith('/query');
const isWrite = (method: string, path: string) => method !== 'GET' && /\/points(\/batch)?$/.test(path);

const outages: readonly Outage[] = [
  onTheWay('is down', 'down'),
  onTheWay('hangs', 'hang'),
  onTheWay('resets every connection', 'reset'),
  onTheWay('answers garbage', 'garbage'),
  {
    name: 'is stopped and comes back empty',
    begin: async () => {
      await qdrant.stop();
      qdrant.forget();
    },
    end: () => qdrant.start(),
    isSeenByProbe: true,
  },
  ofAnswers('answers invalid scores', 'wrong scores', isSearch),
  ofAnswers('answers with foreign ids', 'foreign ids', isSearch),
  ofAnswers('has no space left', '507', isWrite),
];

const variables = { ...trafficVariables, QDRANT_API_KEY: apiKey };
/** How long an outage, and the traffic after it, lasts beyond the checks. */
const outageMs = 1_000;
const query = 'rain and sun in a city';

interface Found {
  readonly mode: string | null;
  readonly results: readonly { readonly collection_name: string; readonly similarity_score: number }[];
}

const find = async ({ api }: Installation, { client }: Senders): Promise<Found> => {
  const { status, headers, body } = await api.call(client.key, 'POST', '/api/vector/search', { query, k_limit: 100 });
  expect(status).toBe(200);
  return { mode: headers.get('x-search-mode'), results: body as Found['results'] };
};
/** The modes in which searches were answered. */
const modesOf = (seen: readonly Seen[]): ReadonlySet<string | null> =>
  new Set(seen.filter(({ operation }) => operation === 'search').map(({ searchMode }) => searchMode));

const namesOf = ({ results }: Found): readonly string[] => results.map(({ collection_name: name }) => name);

const expectNoSecretInLog = (installation: Installation, { client }: Senders) => {
  const { text } = logOf(installation);
  for (const secret of [apiKey, client.key.secret]) expect(text).not.toContain(secret);
};

describe('Qdrant (stand-in)', () => {
  describe('away when the service starts', () => {
    let installation: Installation;
    afterEach(() => installation.remove());

    test('does not delay the start: the database answers searches, and Qdrant once it is back', async () => {
      await proxy.set('down');
      installation = await createInstallation({ ...variables, QDRANT_URL: proxy.through(qdrant.url) });
      await installation.start();
      const { api } = installation;
      const senders = await prepareSenders(api, await installation.admin(), (uid) => installation.person(uid));
      const during = await eventually(
        () => find(installation, senders),
        ({ results }) => results.length === 1,
      );
      expect(during.mode).toBe('exact');
      expect(await stateOf(api, 'vector index')).toEqual(away);
      await proxy.set('pass');
      const after = await eventually(
        () => find(installation, senders),
        ({ mode }) => mode === null,
      );
      expect(after.results).toEqual(during.results);
      await untilStateIs(api, 'vector index', present);
      expect(warningsOf(installation)).toContain('Qdrant is unavailable; the database answers searches');
      expectNoSecretInLog(installation, senders);
    }, 180_000);
  });

  describe('under traffic', () => {
    let installation: Installation;
    let senders: Senders;
    let traffic: Traffic;
    beforeAll(async () => {
      await proxy.set('pass');
      qdrant.forget();
      installation = await createInstallation({ ...variables, QDRANT_URL: proxy.through(qdrant.url) });
      await installation.start();
      senders = await prepareSenders(installation.api, await installation.admin(), (uid) => installation.person(uid));
      traffic = startTraffic(installation.api, senders);
    }, 180_000);
    afterAll(async () => {
      await traffic.stop();
      await installation.remove();
    });

    test.each(outages)(
      'that $name goes unnoticed by callers: searches find the same, the newest included',
      async ({ name, begin, end, isSeenByProbe }) => {
        let isOver = false;
        onTestFinished(async () => {
          if (!isOver) await end();
        });
        const { api } = installation;
        const before = await eventually(
          () => find(installation, senders),
          ({ mode, results }) => mode === null && results.length > 0,
        );
        const seen = await traffic.during(async () => {
          await begin();
          const newest = await createCollection(
            api,
            senders.admin,
            `New while Qdrant ${name}`,
            'Snow in the mountains',
          );
          const during = await eventually(
            () => find(installation, senders),
            ({ mode }) => mode === 'exact',
          );
          expect(during.results).toEqual(before.results);
          await api.ask(senders.admin, 'POST', `/api/access/clients/${senders.client.id}/collections/${newest}`);
          const withNewest = await eventually(
            () => find(installation, senders),
            ({ results }) => results.length === before.results.length + 1,
          );
          expect(namesOf(withNewest)).toContain(`New while Qdrant ${name}`);
          expect(withNewest.mode).toBe('exact');
          await pause(outageMs);
          if (isSeenByProbe) expect(await stateOf(api, 'vector index')).toEqual(away);

          await end();
          isOver = true;
          const after = await eventually(
            () => find(installation, senders),
            ({ mode }) => mode === null,
          );
          expect(after.results).toEqual(withNewest.results);
        });
        expect(failures(seen)).toEqual({});
        expect(late(seen)).toEqual([]);
        expect(modesOf(seen)).toContain('exact');
        expect(sent(seen).read).toBeGreaterThan(0);
        const afterwards = await eventually(
          () => traffic.during(outageMs),
          (sending) => modesOf(sending).has(null),
        );
        expect(failures(afterwards)).toEqual({});
        expect(late(afterwards)).toEqual([]);
        await untilStateIs(api, 'vector index', present);
        expectNoSecretInLog(installation, senders);
      },
      180_000,
    );

    test('has one log line for each time that it goes away and comes back', () => {
      const { lines } = logOf(installation);
      const told = (msg: string) => lines.filter((line) => line.msg === msg).length;
      expect(warningsOf(installation)).toContain('Qdrant is unavailable; the database answers searches');
      expect(told('Qdrant answers searches again')).toBeGreaterThanOrEqual(outages.length);
      expect(lines.filter(({ level }) => level === 50 || level === 'error')).toEqual([]);
    });

    test('that hangs is no longer asked after a few searches have waited for it', async () => {
      // Without new vectors: the index would catch up in the background, and searches do not wait for that either.
      await traffic.stop();
      await eventually(
        () => find(installation, senders),
        ({ mode }) => mode === null,
      );
      onTestFinished(() => qdrant.faults.set(null));
      qdrant.faults.set('hang');
      for (let few = 0; few < 5; few++) expect((await find(installation, senders)).mode).toBe('exact');
      const callsBefore = qdrant.calls.length;
      for (let many = 0; many < 60; many++) expect((await find(installation, senders)).mode).toBe('exact');
      // Without the breaker each search would have called it; with it, one calls now and then to see whether it is
      // back.
      expect(qdrant.calls.length - callsBefore).toBeLessThan(30);
      qdrant.faults.set(null);
      await eventually(
        () => find(installation, senders),
        ({ mode }) => mode === null,
      );
    }, 120_000);
  });
});
