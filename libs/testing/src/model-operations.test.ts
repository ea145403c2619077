import {
  authorityOf,
  createModelOperationEmbedder,
  createUseCases,
  TextRefusedError,
  unpackOperations,
  type Embedder,
  type JobId,
  type OperationEmbedder,
  type Ports,
} from '@portico/domain';
import { createWordVectorEmbedders } from '@portico/word-vectors';
import { expect, test } from 'vitest';
import { createAnotherEmbedder } from './another-embedder.ts';
import { createHarness, defaultSettings, type Harness } from './harness.ts';
import { createSwitchedEmbedder } from './switched-embedder.ts';
import { testIssuer } from './test-issuer.ts';

const { operationEmbedder: words } = createWordVectorEmbedders();
const dayMs = 86_400_000;

const weather = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: {
    '/rain': { get: { summary: 'Forecast of rain', responses: {} } },
    '/snow': { get: { summary: 'Forecast of snow', responses: {} } },
    '/stations': { post: { summary: 'Add a weather station', responses: {} } },
    '/stations/{id}': { delete: { summary: 'Remove a weather station', responses: {} } },
    '/wind': { get: { summary: 'Speed of the wind', responses: {} } },
    '/users': { get: { summary: 'List the users', responses: {} } },
  },
};

const withWeather = async (ports: Partial<Ports>): Promise<Harness> => {
  const harness = createHarness({}, ports);
  await withDocument(harness, weather);
  return harness;
};

const withDocument = async ({ useCases, documents }: Harness, content: object): Promise<void> => {
  const admin = await useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  if (!admin) throw new Error('There already is an admin');
  const document = await documents.readFile(Buffer.from(JSON.stringify(content)), 'json');
  const input = { name: 'Weather', description: 'Forecasts', authentication: null };
  const authority = authorityOf({ profile: admin, deadline: null });
  await useCases.createCollection(authority, admin.id, { ...input, document, strict: false });
};

const search = async ({ useCases, tokens }: Harness, query: string): Promise<readonly string[]> => {
  const credential = { kind: 'token', token: tokens.mint({ uid: 'root', email: 'root@example.com' }) } as const;
  const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
  const { principal } = await useCases.admit(request);
  const search = { query, limit: 10, collectionId: null, method: null };
  return (await useCases.searchOperations(principal, search)).results.map(({ path }) => path);
};

const operationsJob = async ({ ports, clock }: Harness): Promise<JobId> => {
  const [id] = await ports.outbox.due('operations', clock.now(), 1);
  if (!id) throw new Error('No job is due');
  return id;
};

const collect = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const results: Item[] = [];
  for await (const item of items) results.push(item);
  return results;
};

/** Creates a switched embedder that records the documents that it embeds. */
const createRecordingModel = () => {
  const model = createSwitchedEmbedder(createAnotherEmbedder());
  const embedded: string[] = [];
  const recording: Embedder = {
    ...model,
    embed: async (texts, purpose) => {
      if (purpose === 'document') embedded.push(...texts);
      return model.embed(texts, purpose);
    },
  };
  return { model, embedded, operationEmbedder: createModelOperationEmbedder({ model: recording, words }) };
};

test('operations that a model embeds are found by their meaning and by their words', async () => {
  const { operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  await harness.runJobs();
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
  expect((await search(harness, 'remove a weather station'))[0]).toBe('/stations/{id}');
});

test('the model id contains the model of each part of a vector', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const id = await operationEmbedder.modelId();
  expect(id).toBe(`${await model.modelId()}+${await words.modelId()}+operations-1`);
  expect((await operationEmbedder.embedQuery('rain')).modelId).toBe(id);
  model.change();
  expect((await operationEmbedder.embedQuery('rain')).modelId).toBe(await operationEmbedder.modelId());
  expect(await operationEmbedder.modelId()).not.toBe(id);
});

test('a text is embedded once even if it occurs repeatedly, and an empty list requires no model', async () => {
  const { model, embedded, operationEmbedder } = createRecordingModel();
  const operation = { key: 'a'.repeat(16), method: 'GET', path: '/a', operationId: null, summary: 'A', tags: [] };
  const twice = [operation, operation].map((one) => ({ ...one, deprecated: false, excerpt: '' }));
  const owner = { name: 'Letters', description: '', baseUrl: '' };
  const vectorsOf = async (...portions: (typeof twice)[]) =>
    (await collect(operationEmbedder.embedOperations(owner, portions, async () => {}))).flatMap(
      ({ vectors }) => vectors,
    );
  const vectors = await vectorsOf(twice);
  expect(embedded.toSorted()).toEqual(['A\nget a\nLetters', 'Letters']);
  expect(vectors[0]).toEqual(vectors[1]);
  model.interrupt();
  expect(await vectorsOf()).toEqual([]);
  expect(await vectorsOf([])).toEqual([]);
});

test('while the model is unavailable searches for operations are rejected, and jobs wait', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  model.interrupt();
  expect(await harness.useCases.workJob(await operationsJob(harness))).toMatchObject({
    failed: 'operations',
    givenUp: false,
  });
  await expect(search(harness, 'rain')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  model.resume();
  harness.clock.advance(10_000);
  await harness.runJobs();
  expect(await search(harness, 'forecast of rain')).toContain('/rain');
});

test('an operation that the model refuses is found by its words, and the others as usual', async () => {
  const another = createAnotherEmbedder();
  const model: Embedder = {
    ...another,
    embed: async (texts, purpose) => {
      if (texts.some((text) => text.includes('snow'))) throw new TextRefusedError('No snow');
      return another.embed(texts, purpose);
    },
  };
  const harness = await withWeather({ operationEmbedder: createModelOperationEmbedder({ model, words }) });
  expect(await harness.useCases.workJob(await operationsJob(harness))).toBe('done');
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
  expect(await harness.useCases.readOperationProgress()).toEqual({ total: 1, done: 1, failed: 0 });
});

test('after a change of the model operations are queued once, and found once they are embedded with it', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  await harness.runJobs();
  expect((await harness.useCases.checkModels()).operationsOutdated).toBe(0);
  model.change();
  expect(await search(harness, 'forecast of rain')).toEqual([]);
  for (let time = 0; time < 2; time += 1) expect((await harness.useCases.checkModels()).operationsOutdated).toBe(1);
  expect(await harness.ports.outbox.due('operations', harness.clock.now(), 9)).toHaveLength(1);
  await harness.runJobs();
  expect((await harness.useCases.checkModels()).operationsOutdated).toBe(0);
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
});

test('replacing a model while operations are embedded leaves no block of two models', async () => {
  const { model, embedded, operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  const replaceModel = () => {
    if (embedded.length === 4) model.change();
    return false;
  };
  const outcome = await harness.useCases.workJob(await operationsJob(harness), replaceModel);
  expect(outcome).toMatchObject({ failed: 'operations', givenUp: false });
  harness.clock.advance(10_000);
  await harness.runJobs();
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
});

test('work that is interrupted or fails resumes where it stopped', async () => {
  const { model, embedded, operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  const id = await operationsJob(harness);
  // The words account for six checkpoints, and the first texts for one.
  let checkpoints = 0;
  expect(await harness.useCases.workJob(id, () => (checkpoints += 1) > 7)).toBe('interrupted');
  const before = [...embedded];
  expect(before).toHaveLength(4);
  model.interrupt();
  expect(await harness.useCases.workJob(id)).toMatchObject({ failed: 'operations' });
  model.resume();
  embedded.length = 0;
  harness.clock.advance(10_000);
  expect(await harness.useCases.workJob(id)).toBe('done');
  expect(embedded).toHaveLength(3);
  expect(embedded.filter((text) => before.includes(text))).toEqual([]);
});

test('portions that were embedded before an interruption are not embedded again', async () => {
  const { embedded, operationEmbedder } = createRecordingModel();
  const owner = { name: 'Weather', description: '', baseUrl: '' };
  const operationOf = (summary: string) => ({
    ...{ key: summary, method: 'GET', path: '/', operationId: null, summary, tags: [] },
    ...{ deprecated: false, excerpt: '' },
  });
  const portions = [['Rain', 'Snow'], ['Wind'], ['Fog']].map((summaries) => summaries.map(operationOf));
  const summaries = () => embedded.map((text) => text.split('\n')[0]).toSorted();
  const work = operationEmbedder.embedOperations(owner, portions, async () => {
    if (embedded.length >= 4) throw new Error('Interrupted');
  });
  await expect(collect(work)).rejects.toThrow('Interrupted');
  expect(summaries()).toEqual(['Rain', 'Snow', 'Weather', 'Wind']);
  const repeatWork = async () => {
    embedded.length = 0;
    const done = await collect(operationEmbedder.embedOperations(owner, portions, async () => {}));
    expect(done.map(({ operations, vectors }) => [operations, vectors.length])).toEqual(
      portions.map((operations) => [operations, operations.length]),
    );
    return summaries();
  };
  expect(await repeatWork()).toEqual(['Fog']);
  // Once the work is done, none of it is cached.
  expect(await repeatWork()).toEqual(['Fog', 'Rain', 'Snow', 'Weather', 'Wind']);
});

test('replacing a model between two portions aborts the work', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const operation = { method: 'GET', path: '/', operationId: null, tags: [], deprecated: false, excerpt: '' };
  const portions = [[{ ...operation, summary: 'Rain' }], [{ ...operation, summary: 'Snow' }]];
  const owner = { name: 'Weather', description: '', baseUrl: '' };
  const work = async () => {
    for await (const { vectors } of operationEmbedder.embedOperations(owner, portions, async () => {})) {
      expect(vectors).toHaveLength(1);
      model.change();
    }
  };
  await expect(work()).rejects.toMatchObject({ code: 'embedding_unavailable' });
});

test.each([999, 1_000, 1_001, 2_001])(
  'each of %i operations has its vector',
  async (count) => {
    const harness = createHarness();
    const paths = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`/stations/${i}`, { get: { summary: `Station x${i}`, responses: {} } }]),
    );
    await withDocument(harness, { ...weather, paths });
    await harness.runJobs();
    const [block] = await harness.ports.operationBlocks.changedSince(0, await words.modelId(), 1);
    const unpacked = unpackOperations(block?.packed ?? new Uint8Array());
    expect(unpacked).toHaveLength(count);
    expect(new Set(unpacked.map(({ key }) => key)).size).toBe(count);
    expect(await search(harness, `station x${count - 1}`)).toContain(`/stations/${count - 1}`);
  },
  60_000,
);

test('an interrupted job is immediately due again, and has not failed', async () => {
  const harness = await withWeather({});
  const id = await operationsJob(harness);
  expect(await harness.useCases.workJob(id, () => true)).toBe('interrupted');
  const now = harness.clock.now();
  expect((await harness.ports.outbox.claim(id, now, now + 1))?.attempts).toBe(0);
});

/** Creates the built-in embedder, but with a call to `advance` at each checkpoint to let time pass. */
const createSlowEmbedder = (advance: () => void): OperationEmbedder => ({
  ...words,
  embedOperations: (owner, portions, checkpoint) =>
    words.embedOperations(owner, portions, async () => {
      advance();
      await checkpoint();
    }),
});

test('a long job renews its lease, so that no second worker runs it', async () => {
  const others: unknown[] = [];
  const operationEmbedder = createSlowEmbedder(() => {
    harness.clock.advance(15_000);
    others.push(harness.ports.outbox.claim(id, harness.clock.now(), harness.clock.now() + 1));
  });
  const harness = await withWeather({ operationEmbedder });
  const id = await operationsJob(harness);
  expect(await harness.useCases.workJob(id)).toBe('done');
  expect(await Promise.all(others)).toEqual([null, null, null, null, null, null]);
});

test('a job stops at its next checkpoint if another worker has leased it, and that lease stays', async () => {
  const claim = () => harness.ports.outbox.claim(id, harness.clock.now(), harness.clock.now() + 20_000);
  const others: unknown[] = [];
  const operationEmbedder = createSlowEmbedder(() => {
    harness.clock.advance(30_000);
    others.push(claim());
  });
  const harness = await withWeather({ operationEmbedder });
  const id = await operationsJob(harness);
  expect(await harness.useCases.workJob(id)).toBe('interrupted');
  expect(await Promise.all(others)).toMatchObject([{ id }]);
  expect(await claim()).toBeNull();
});

test('blocks of other models are removed if unused for a day and every collection has its current block', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  const { ports, clock } = harness;
  await harness.runJobs();
  await harness.useCases.checkModels();
  const first = await operationEmbedder.modelId();
  const other = createUseCases({ ...ports, operationEmbedder: words }, defaultSettings);
  await other.checkModels();
  model.change();
  const hasBlocks = async (modelId: string) => (await ports.operationBlocks.changedSince(0, modelId, 1)).length > 0;

  clock.advance(dayMs);
  await other.checkModels();
  expect((await harness.useCases.checkModels()).removed).toEqual([]);
  await harness.runJobs();
  // The other configuration is still in use.
  expect((await harness.useCases.checkModels()).removed).toEqual([]);
  expect(await hasBlocks(first)).toBe(true);

  clock.advance(dayMs - 1);
  expect((await harness.useCases.checkModels()).removed).toEqual([]);
  clock.advance(1);
  const { removed } = await harness.useCases.checkModels();
  expect(removed.toSorted()).toEqual([`operations: ${first}`, `operations: ${await words.modelId()}`].toSorted());
  expect(await hasBlocks(first)).toBe(false);
  expect(await hasBlocks(await operationEmbedder.modelId())).toBe(true);
  expect((await harness.useCases.checkModels()).removed).toEqual([]);
});

test('blocks of other models stay until every collection has its current block', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await withWeather({ operationEmbedder });
  await harness.runJobs();
  await harness.useCases.checkModels();
  model.change();
  harness.clock.advance(dayMs);
  await harness.useCases.checkModels();
  harness.clock.advance(dayMs);
  expect((await harness.useCases.checkModels()).removed).toEqual([]);
  await harness.runJobs();
  expect((await harness.useCases.checkModels()).removed).toHaveLength(1);
});
