import { fakeNomic, startFaultProxy, startFakeOllama, type FaultMode, type OllamaFault } from '@portico/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { sendEachOperation, createServiceHarness, waitForState, type ServiceHarness } from './service-harness.ts';
import {
  varyWhitespace,
  unavailableState,
  createCollection,
  countFailures,
  prepareCallers,
  availableState,
  trafficVariables,
  type Callers,
} from './traffic.ts';

const password = 'password-of-ollama-that-nobody-may-read';
const ollama = await startFakeOllama();
const proxy = await startFaultProxy({ host: '127.0.0.1', port: ollama.control.port });
afterAll(async () => {
  await proxy.close();
  await ollama.close();
});

/** A fault of Ollama, with functions to begin and end it. */
interface Outage {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

const networkOutage = (name: string, mode: FaultMode): Outage => ({
  name,
  begin: () => proxy.set(mode),
  end: () => proxy.set('pass'),
});

const responseOutage = (name: string, fault: OllamaFault): Outage => ({
  name,
  begin: () => ollama.setFault(fault),
  end: () => ollama.setFault(null),
});

const outages: readonly Outage[] = [
  networkOutage('is down', 'down'),
  networkOutage('hangs', 'hang'),
  networkOutage('resets every connection', 'reset'),
  networkOutage('responds with garbage', 'garbage'),
  {
    name: 'is stopped and started again',
    begin: () => ollama.control.stop(),
    end: () => ollama.control.start(),
  },
  responseOutage('returns vectors with 767 dimensions', 'shortVector'),
  responseOutage('returns zero vectors', 'zero'),
];

const searchFailure = { operation: 'search', status: 500, detail: 'Embedding service unavailable' } as const;

interface Result {
  readonly collection_id: string;
  readonly collection_name: string;
  readonly similarity_score: number;
}

const setUp = async (): Promise<{ readonly harness: ServiceHarness; readonly callers: Callers }> => {
  onTestFinished(() => proxy.set('pass'));
  const harness = createServiceHarness({
    ...trafficVariables,
    OLLAMA_URL: proxy.rewriteUrl(`http://portico:${password}@127.0.0.1`),
  });
  await harness.start();
  return { harness, callers: await prepareCallers(harness.api, await harness.mint(), harness.mint) };
};

const search = ({ api, time }: ServiceHarness, { admin }: Callers, query: string) =>
  time.advanceUntil(api.call(admin, 'POST', '/api/vector/search', { query, k_limit: 100 }));

/** Returns the admin's results for a query that is not cached; null while the embedding service is unavailable. */
const find = async (harness: ServiceHarness, callers: Callers, query: string): Promise<readonly Result[] | null> => {
  const { status, body } = await search(harness, callers, varyWhitespace(query));
  if (status === 200) return body as readonly Result[];
  expect([status, body]).toEqual([500, { detail: searchFailure.detail }]);
  return null;
};

/** Waits until a search returns all of these collections, with equal scores. */
const waitUntilFound = (
  harness: ServiceHarness,
  callers: Callers,
  query: string,
  ids: readonly string[],
): Promise<void> =>
  harness.time.advanceUntilSuccess(async () => {
    const results = (await find(harness, callers, query)) ?? [];
    const scores = ids.map((id) => results.find((result) => result.collection_id === id)?.similarity_score ?? 0);
    expect(Math.min(...scores)).toBeGreaterThan(0);
    expect(new Set(scores).size).toBe(1);
  });

const readHealth = async ({ api, time }: ServiceHarness) => {
  const { status, body } = await time.advanceUntil(api.call(null, 'GET', '/api/vector/health'));
  return { status, body };
};

const expectNoSecretInLog = ({ readLog }: ServiceHarness, { client }: Callers) => {
  for (const secret of [password, Buffer.from(`portico:${password}`).toString('base64'), client.key.secret])
    expect(readLog().text).not.toContain(secret);
};

test('the service starts while the fake Ollama is unavailable: new collections are found once it is available', async () => {
  await proxy.set('down');
  const { harness, callers } = await setUp();
  expect(await find(harness, callers, 'weather forecast')).toBeNull();
  await waitForState(harness, 'embedder', unavailableState);
  expect(await readHealth(harness)).toMatchObject({
    status: 503,
    body: { status: 'unavailable', embedder: { status: 'unavailable' }, index: { status: 'healthy' } },
  });
  await proxy.set('pass');
  await waitUntilFound(harness, callers, 'weather forecast', [callers.collection]);
  await waitForState(harness, 'embedder', availableState);
  expect((await readHealth(harness)).status).toBe(200);
  expect(harness.listWarnings().some((message) => message.startsWith('Ollama cannot embed texts'))).toBe(true);
  expectNoSecretInLog(harness, callers);
});

test.each(outages)(
  'if the fake Ollama $name, only searches for new queries fail; collections created or changed in the meantime are found by their new text afterwards',
  async ({ name, begin, end }) => {
    const { harness, callers } = await setUp();
    const { api, time } = harness;
    const { admin } = callers;
    const text = { name: `Tides while Ollama ${name}`, description: 'High and low water at every harbour' };
    const changedId = await createCollection(api, admin, `Changed while Ollama ${name}`, 'Nothing of the sea');
    await waitUntilFound(harness, callers, text.name, [changedId]);
    expect((await search(harness, callers, text.name)).status).toBe(200);
    onTestFinished(end);
    await begin();
    // While a search waits, time stands still for the other requests.
    const pendingSearch = api.call(admin, 'POST', '/api/vector/search', { query: varyWhitespace(text.name) });
    const createdId = await createCollection(api, admin, text.name, text.description);
    await api.request(admin, 'PUT', `/api/collections/${changedId}`, text);
    expect((await api.call(callers.client.key, 'GET', `/api/collections/${callers.collection}`)).status).toBe(200);
    expect((await time.advanceUntil(pendingSearch)).status).toBe(500);
    expect((await search(harness, callers, text.name)).status).toBe(200);
    expect(countFailures(await time.advanceUntil(sendEachOperation(harness, callers)), [searchFailure])).toEqual({});
    expect(await find(harness, callers, text.name)).toBeNull();
    await waitForState(harness, 'embedder', unavailableState);
    expect(await readHealth(harness)).toMatchObject({
      status: 503,
      body: { embedder: { status: 'unavailable', model: null }, index: { status: 'healthy' } },
    });

    await end();
    await time.advanceUntilSuccess(async () => expect(await find(harness, callers, text.name)).not.toBeNull());
    // An embedding from an invalid response would get a different score.
    const equalId = await createCollection(api, admin, text.name, text.description);
    await waitUntilFound(harness, callers, text.name, [createdId, changedId, equalId]);
    await waitForState(harness, 'embedder', availableState);
    expect((await readHealth(harness)).status).toBe(200);
    expectNoSecretInLog(harness, callers);
  },
);

test('if the model of the fake Ollama changes, collections are embedded again, and vectors of different models are never compared', async () => {
  const { harness, callers } = await setUp();
  const { api, time } = harness;
  const { admin, client } = callers;
  const topics = ['Snow', 'Wind', 'Sun', 'Fog'];
  for (const topic of topics) {
    const id = await createCollection(api, admin, topic, `${topic} and rain in a city`);
    await api.request(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);
  }
  const findScores = async (): Promise<Readonly<Record<string, number>>> => {
    const query = varyWhitespace('rain in a city');
    const results = await time.advanceUntil(api.request<Result[]>(client.key, 'POST', '/api/vector/search', { query }));
    return Object.fromEntries(results.map((result) => [result.collection_name, result.similarity_score]));
  };
  const observedScores: Readonly<Record<string, number>>[] = [];
  const waitUntilComplete = () =>
    time.advanceUntilSuccess(async () => {
      const scores = await findScores();
      observedScores.push(scores);
      expect(Object.keys(scores)).toHaveLength(topics.length + 1);
      return scores;
    });
  await waitUntilComplete();
  onTestFinished(() => ollama.install(fakeNomic));
  ollama.install({ ...fakeNomic, digest: fakeNomic.digest.split('').toReversed().join('') });
  // Lets the embedder notice the change; without a search, it would cache the model's id for a minute.
  await findScores();
  observedScores.length = 0;
  const finalScores = await waitUntilComplete();
  // The fake's vectors for the two models are almost as far apart as possible.
  expect(Math.min(...Object.values(finalScores))).toBeGreaterThan(0.2);
  for (const scores of observedScores) expect(finalScores).toMatchObject(scores);
  expect(observedScores.length).toBeGreaterThan(1);
  expect(harness.readLog().lines.some(({ msg }) => /^The embedding model is now .+ \(was /.test(msg))).toBe(true);
});

/** Returns a description of 7,500 characters. */
const longText = (name: string): string =>
  Array.from({ length: 200 }, (_, quay) => `The ${name} of a harbour, hour by hour, at its quay ${quay}. `)
    .join('')
    .slice(0, 7_500);

test('no search fails while the fake Ollama embeds eight long documents that take 4 s each', async () => {
  const { harness, callers } = await setUp();
  const { api, time } = harness;
  await waitUntilFound(harness, callers, 'weather forecast', [callers.collection]);
  onTestFinished(() => {
    ollama.runner.tokenMs = 0;
  });
  ollama.runner.tokenMs = 2.5;
  const names = Array.from({ length: 8 }, (_, index) => `Tides ${index}`);
  for (const name of names) await createCollection(api, callers.admin, name, longText(name));
  const findNames = async () => ((await find(harness, callers, 'tides')) ?? []).map((result) => result.collection_name);
  const searchTimesMs: number[] = [];
  await time.advanceUntilSuccess(async () => {
    const startedAt = performance.now();
    const results = await findNames();
    searchTimesMs.push(performance.now() - startedAt);
    expect(results).toEqual(expect.arrayContaining(names));
  });
  expect(searchTimesMs.length).toBeGreaterThan(20);
  // A search waits for one chunk and the query itself, plus the steps in which the stopped time advances.
  expect(Math.max(...searchTimesMs)).toBeLessThan(256 * ollama.runner.tokenMs + 200);
});

test('searches do not interrupt the fake Ollama while it loads its model for 12 s, and return Retry-After', async () => {
  const { harness, callers } = await setUp();
  const { api, time } = harness;
  await waitUntilFound(harness, callers, 'weather forecast', [callers.collection]);
  const loadsBefore = ollama.runner.loadCount;
  onTestFinished(() => {
    ollama.runner.loadMs = 0;
  });
  ollama.runner.loadMs = 12_000;
  ollama.runner.unload();
  const attemptSearch = async () => {
    const body = { query: varyWhitespace('weather forecast') };
    const { status, headers } = await time.advanceUntil(api.call(callers.admin, 'POST', '/api/vector/search', body));
    return [status, headers.get('retry-after')];
  };
  const startedAt = performance.now();
  expect(await attemptSearch()).toEqual([500, '2']);
  await time.advance(100);
  expect(await attemptSearch()).toEqual([500, '10']);
  await time.advanceUntilSuccess(async () => expect(await attemptSearch()).toEqual([200, null]));
  expect(performance.now() - startedAt).toBeLessThan(13_000);
  expect(ollama.runner.loadCount).toBe(loadsBefore + 1);
});
