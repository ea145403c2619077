import { startFaultProxy, startFakeQdrant, type FaultMode, type QdrantFault } from '@portico/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { sendEachOperation, createServiceHarness, waitForState, type ServiceHarness } from './service-harness.ts';
import {
  unavailableState,
  createCollection,
  countFailures,
  prepareCallers,
  availableState,
  trafficVariables,
  type Callers,
} from './traffic.ts';

const apiKey = 'key-of-qdrant-that-nobody-may-read';
const qdrant = await startFakeQdrant({ apiKey });
const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(qdrant.url).port) });
afterAll(async () => {
  await proxy.close();
  await qdrant.close();
});

/** A fault of Qdrant, with functions to begin and end it. */
interface Outage {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
  /** Whether `/ready` detects the fault: its probe requests the aliases. */
  readonly isDetectedByProbe: boolean;
}

const networkOutage = (name: string, mode: FaultMode): Outage => ({
  name,
  begin: () => proxy.set(mode),
  end: () => proxy.set('pass'),
  isDetectedByProbe: true,
});

const responseOutage = (
  name: string,
  fault: QdrantFault,
  appliesTo: (method: string, path: string) => boolean,
): Outage => ({
  name,
  begin: () => qdrant.faults.set(fault, appliesTo),
  end: () => qdrant.faults.set(null),
  isDetectedByProbe: false,
});

const isSearch = (_method: string, path: string) => path.endsWith('/query');
const isWrite = (method: string, path: string) => method !== 'GET' && /\/points(\/batch)?$/.test(path);

const outages: readonly Outage[] = [
  networkOutage('is down', 'down'),
  networkOutage('hangs', 'hang'),
  networkOutage('resets every connection', 'reset'),
  networkOutage('responds with garbage', 'garbage'),
  {
    name: 'is stopped and restarts empty',
    begin: async () => {
      await qdrant.stop();
      qdrant.clear();
    },
    end: () => qdrant.start(),
    isDetectedByProbe: true,
  },
  responseOutage('returns invalid scores', 'wrong scores', isSearch),
  responseOutage('returns foreign ids', 'foreign ids', isSearch),
  responseOutage('has no space left', '507', isWrite),
];

const query = 'rain and sun in a city';
const outageMessage = 'Qdrant is unavailable: searches use the database';

interface SearchOutcome {
  readonly mode: string | null;
  readonly results: readonly { readonly collection_name: string; readonly similarity_score: number }[];
}

const setUp = async (): Promise<{ readonly harness: ServiceHarness; readonly callers: Callers }> => {
  qdrant.clear();
  onTestFinished(() => proxy.set('pass'));
  const harness = createServiceHarness({
    ...trafficVariables,
    QDRANT_API_KEY: apiKey,
    QDRANT_URL: proxy.rewriteUrl(qdrant.url),
  });
  await harness.start();
  return { harness, callers: await prepareCallers(harness.api, await harness.mint(), harness.mint) };
};

const find = async ({ api, time }: ServiceHarness, { client }: Callers): Promise<SearchOutcome> => {
  const body = { query, k_limit: 100 };
  const response = await time.advanceUntil(api.call(client.key, 'POST', '/api/vector/search', body));
  expect(response.status).toBe(200);
  return { mode: response.headers.get('x-search-mode'), results: response.body as SearchOutcome['results'] };
};

/** Waits until a search in this mode returns this many results; the mode is null for Qdrant. */
const waitUntilFound = (
  harness: ServiceHarness,
  callers: Callers,
  mode: SearchOutcome['mode'],
  count: number,
): Promise<SearchOutcome> =>
  harness.time.advanceUntilSuccess(async () => {
    const outcome = await find(harness, callers);
    expect([outcome.mode, outcome.results.length]).toEqual([mode, count]);
    return outcome;
  });

const expectNoSecretInLog = ({ readLog }: ServiceHarness, { client }: Callers) => {
  for (const secret of [apiKey, client.key.secret]) expect(readLog().text).not.toContain(secret);
};

test('the service starts while the fake Qdrant is unavailable: searches use the database until it is available', async () => {
  await proxy.set('down');
  const { harness, callers } = await setUp();
  const outageOutcome = await waitUntilFound(harness, callers, 'exact', 1);
  await waitForState(harness, 'vector index', unavailableState);
  await proxy.set('pass');
  const after = await waitUntilFound(harness, callers, null, 1);
  expect(after.results).toEqual(outageOutcome.results);
  await waitForState(harness, 'vector index', availableState);
  expect(harness.listWarnings()).toContain(outageMessage);
  expectNoSecretInLog(harness, callers);
});

test.each(outages)(
  'callers do not notice that the fake Qdrant $name: searches return the same results, including new collections',
  async ({ name, begin, end, isDetectedByProbe }) => {
    const { harness, callers } = await setUp();
    const { time, api } = harness;
    const before = await waitUntilFound(harness, callers, null, 1);
    onTestFinished(end);
    await begin();
    const newId = await createCollection(api, callers.admin, `New while Qdrant ${name}`, 'Snow in the mountains');
    const outageOutcome = await waitUntilFound(harness, callers, 'exact', 1);
    expect(outageOutcome.results).toEqual(before.results);
    await api.request(callers.admin, 'POST', `/api/access/clients/${callers.client.id}/collections/${newId}`);
    const newOutcome = await waitUntilFound(harness, callers, 'exact', 2);
    expect(newOutcome.results.map((result) => result.collection_name)).toContain(`New while Qdrant ${name}`);
    if (isDetectedByProbe) await waitForState(harness, 'vector index', unavailableState);
    expect(countFailures(await time.advanceUntil(sendEachOperation(harness, callers)))).toEqual({});

    await end();
    const after = await waitUntilFound(harness, callers, null, 2);
    expect(after.results).toEqual(newOutcome.results);
    expect(countFailures(await time.advanceUntil(sendEachOperation(harness, callers)))).toEqual({});
    await waitForState(harness, 'vector index', availableState);
    const { lines } = harness.readLog();
    expect(harness.listWarnings()).toEqual(expect.arrayContaining([expect.stringMatching(/^Qdrant /)]));
    expect(lines.filter(({ msg }) => msg === 'Searches use Qdrant again').length).toBeGreaterThan(0);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expectNoSecretInLog(harness, callers);
  },
);
