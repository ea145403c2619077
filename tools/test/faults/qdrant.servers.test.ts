import { startFaultProxy, startQdrantStandIn, type FaultMode, type QdrantFault } from '@portico/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { askEverything, openStage, untilStateIs, type Stage } from './stage.ts';
import {
  away,
  createCollection,
  failures,
  prepareSenders,
  present,
  trafficVariables,
  type Senders,
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

const query = 'rain and sun in a city';
const unavailable = 'Qdrant is unavailable; the database answers searches';

interface Found {
  readonly mode: string | null;
  readonly results: readonly { readonly collection_name: string; readonly similarity_score: number }[];
}

const open = async (): Promise<{ readonly stage: Stage; readonly senders: Senders }> => {
  qdrant.forget();
  onTestFinished(() => proxy.set('pass'));
  const stage = openStage({ ...trafficVariables, QDRANT_API_KEY: apiKey, QDRANT_URL: proxy.through(qdrant.url) });
  await stage.start();
  return { stage, senders: await prepareSenders(stage.api, await stage.mint(), stage.mint) };
};

const find = async ({ api, time }: Stage, { client }: Senders): Promise<Found> => {
  const body = { query, k_limit: 100 };
  const answer = await time.passUntil(api.call(client.key, 'POST', '/api/vector/search', body));
  expect(answer.status).toBe(200);
  return { mode: answer.headers.get('x-search-mode'), results: answer.body as Found['results'] };
};

/** Waits until a search finds this many, in this mode; null is that of Qdrant. */
const untilFound = (stage: Stage, senders: Senders, mode: Found['mode'], count: number): Promise<Found> =>
  stage.time.passUntilSucceeds(async () => {
    const found = await find(stage, senders);
    expect([found.mode, found.results.length]).toEqual([mode, count]);
    return found;
  });

const expectNoSecretInLog = ({ log }: Stage, { client }: Senders) => {
  for (const secret of [apiKey, client.key.secret]) expect(log().text).not.toContain(secret);
};

test('Qdrant (stand-in) away when the service starts does not delay it: the database answers searches, and Qdrant once it is back', async () => {
  await proxy.set('down');
  const { stage, senders } = await open();
  const during = await untilFound(stage, senders, 'exact', 1);
  await untilStateIs(stage, 'vector index', away);
  await proxy.set('pass');
  const after = await untilFound(stage, senders, null, 1);
  expect(after.results).toEqual(during.results);
  await untilStateIs(stage, 'vector index', present);
  expect(stage.warnings()).toContain(unavailable);
  expectNoSecretInLog(stage, senders);
});

test.each(outages)(
  'Qdrant (stand-in) that $name goes unnoticed by callers: searches find the same, the newest included',
  async ({ name, begin, end, isSeenByProbe }) => {
    const { stage, senders } = await open();
    const { time, api } = stage;
    const before = await untilFound(stage, senders, null, 1);
    onTestFinished(end);
    await begin();
    const newest = await createCollection(api, senders.admin, `New while Qdrant ${name}`, 'Snow in the mountains');
    const during = await untilFound(stage, senders, 'exact', 1);
    expect(during.results).toEqual(before.results);
    await api.ask(senders.admin, 'POST', `/api/access/clients/${senders.client.id}/collections/${newest}`);
    const withNewest = await untilFound(stage, senders, 'exact', 2);
    expect(withNewest.results.map((each) => each.collection_name)).toContain(`New while Qdrant ${name}`);
    if (isSeenByProbe) await untilStateIs(stage, 'vector index', away);
    expect(failures(await time.passUntil(askEverything(stage, senders)))).toEqual({});

    await end();
    const after = await untilFound(stage, senders, null, 2);
    expect(after.results).toEqual(withNewest.results);
    expect(failures(await time.passUntil(askEverything(stage, senders)))).toEqual({});
    await untilStateIs(stage, 'vector index', present);
    const { lines } = stage.log();
    expect(stage.warnings()).toEqual(expect.arrayContaining([expect.stringMatching(/^Qdrant /)]));
    expect(lines.filter(({ msg }) => msg === 'Qdrant answers searches again').length).toBeGreaterThan(0);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expectNoSecretInLog(stage, senders);
  },
);
