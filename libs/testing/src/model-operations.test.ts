import {
  authorityOf,
  createModelOperationEmbedder,
  createUseCases,
  TextRejectedError,
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

const { operationEmbedder: wordEmbedder } = createWordVectorEmbedders();
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

const createHarnessWithWeather = async (ports: Partial<Ports>): Promise<Harness> => {
  const harness = createHarness({}, ports);
  await addDocument(harness, weather);
  return harness;
};

const addDocument = async ({ useCases, documents }: Harness, content: object): Promise<void> => {
  const admin = await useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  if (!admin) throw new Error('There is already an admin');
  const document = await documents.readFile(Buffer.from(JSON.stringify(content)));
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

const findOperationsJob = async ({ ports, clock }: Harness): Promise<JobId> => {
  const [id] = await ports.outbox.listDue('operations', clock.now(), 1);
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
  const embeddedTexts: string[] = [];
  const recordingModel: Embedder = {
    ...model,
    embed: async (texts, purpose) => {
      if (purpose === 'document') embeddedTexts.push(...texts);
      return model.embed(texts, purpose);
    },
  };
  return {
    model,
    embeddedTexts,
    operationEmbedder: createModelOperationEmbedder({ model: recordingModel, wordEmbedder }),
  };
};

test('operations that a model embeds are found by their meaning and by their words', async () => {
  const { operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  await harness.runJobs();
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
  expect((await search(harness, 'remove a weather station'))[0]).toBe('/stations/{id}');
});

test('the model id contains the model of each part of a vector', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const id = await operationEmbedder.getModelId();
  expect(id).toBe(`${await model.getModelId()}+${await wordEmbedder.getModelId()}+operations-1`);
  expect((await operationEmbedder.embedQuery('rain')).modelId).toBe(id);
  model.change();
  expect((await operationEmbedder.embedQuery('rain')).modelId).toBe(await operationEmbedder.getModelId());
  expect(await operationEmbedder.getModelId()).not.toBe(id);
});

test('a text is embedded once even if it occurs repeatedly, and an empty list requires no model', async () => {
  const { model, embeddedTexts, operationEmbedder } = createRecordingModel();
  const operation = { key: 'a'.repeat(16), method: 'GET', path: '/a', operationId: null, summary: 'A', tags: [] };
  const operations = [operation, operation].map((fields) => ({ ...fields, deprecated: false, excerpt: '' }));
  const context = { name: 'Letters', description: '', baseUrl: '' };
  const vectorsOf = async (...batches: (typeof operations)[]) =>
    (await collect(operationEmbedder.embedOperations(context, batches, async () => {}))).flatMap(
      ({ vectors }) => vectors,
    );
  const vectors = await vectorsOf(operations);
  expect(embeddedTexts.toSorted()).toEqual(['A\nget a\nLetters', 'Letters']);
  expect(vectors[0]).toEqual(vectors[1]);
  model.interrupt();
  expect(await vectorsOf()).toEqual([]);
  expect(await vectorsOf([])).toEqual([]);
});

test('while the model is unavailable, searches for operations are rejected, and jobs wait', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  model.interrupt();
  expect(await harness.useCases.workJob(await findOperationsJob(harness))).toMatchObject({
    failed: 'operations',
    givenUp: false,
  });
  await expect(search(harness, 'rain')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  model.resume();
  harness.clock.advance(10_000);
  await harness.runJobs();
  expect(await search(harness, 'forecast of rain')).toContain('/rain');
});

test('an operation that the model rejects is found by its words, and other operations as usual', async () => {
  const otherEmbedder = createAnotherEmbedder();
  const model: Embedder = {
    ...otherEmbedder,
    embed: async (texts, purpose) => {
      if (texts.some((text) => text.includes('snow'))) throw new TextRejectedError('No snow');
      return otherEmbedder.embed(texts, purpose);
    },
  };
  const harness = await createHarnessWithWeather({
    operationEmbedder: createModelOperationEmbedder({ model, wordEmbedder }),
  });
  expect(await harness.useCases.workJob(await findOperationsJob(harness))).toBe('done');
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
  expect(await harness.useCases.readOperationProgress()).toEqual({ total: 1, done: 1, failed: 0 });
});

test('when the model changes, operations are queued once, and are found when the new model has embedded them', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  await harness.runJobs();
  expect((await harness.useCases.checkModels()).outdatedOperationsCount).toBe(0);
  model.change();
  expect(await search(harness, 'forecast of rain')).toEqual([]);
  for (let time = 0; time < 2; time += 1)
    expect((await harness.useCases.checkModels()).outdatedOperationsCount).toBe(1);
  expect(await harness.ports.outbox.listDue('operations', harness.clock.now(), 9)).toHaveLength(1);
  await harness.runJobs();
  expect((await harness.useCases.checkModels()).outdatedOperationsCount).toBe(0);
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
});

test('if the model is replaced while operations are embedded, no block mixes two models', async () => {
  const { model, embeddedTexts, operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  const replaceModel = () => {
    if (embeddedTexts.length === 4) model.change();
    return false;
  };
  const outcome = await harness.useCases.workJob(await findOperationsJob(harness), replaceModel);
  expect(outcome).toMatchObject({ failed: 'operations', givenUp: false });
  harness.clock.advance(10_000);
  await harness.runJobs();
  expect((await search(harness, 'forecast of rain'))[0]).toBe('/rain');
});

test('work that is interrupted or fails resumes where it stopped', async () => {
  const { model, embeddedTexts, operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  const id = await findOperationsJob(harness);
  // The words account for six checkpoints, and the first texts for one.
  let checkpoints = 0;
  expect(await harness.useCases.workJob(id, () => (checkpoints += 1) > 7)).toBe('interrupted');
  const textsBefore = [...embeddedTexts];
  expect(textsBefore).toHaveLength(4);
  model.interrupt();
  expect(await harness.useCases.workJob(id)).toMatchObject({ failed: 'operations' });
  model.resume();
  embeddedTexts.length = 0;
  harness.clock.advance(10_000);
  expect(await harness.useCases.workJob(id)).toBe('done');
  expect(embeddedTexts).toHaveLength(3);
  expect(embeddedTexts.filter((text) => textsBefore.includes(text))).toEqual([]);
});

test('batches that were embedded before an interruption are not embedded again', async () => {
  const { embeddedTexts, operationEmbedder } = createRecordingModel();
  const context = { name: 'Weather', description: '', baseUrl: '' };
  const operationOf = (summary: string) => ({
    ...{ key: summary, method: 'GET', path: '/', operationId: null, summary, tags: [] },
    ...{ deprecated: false, excerpt: '' },
  });
  const batches = [['Rain', 'Snow'], ['Wind'], ['Fog']].map((summaries) => summaries.map(operationOf));
  const listSummaries = () => embeddedTexts.map((text) => text.split('\n')[0]).toSorted();
  const batchStream = operationEmbedder.embedOperations(context, batches, async () => {
    if (embeddedTexts.length >= 4) throw new Error('Interrupted');
  });
  await expect(collect(batchStream)).rejects.toThrow('Interrupted');
  expect(listSummaries()).toEqual(['Rain', 'Snow', 'Weather', 'Wind']);
  const repeatWork = async () => {
    embeddedTexts.length = 0;
    const results = await collect(operationEmbedder.embedOperations(context, batches, async () => {}));
    expect(results.map(({ operations, vectors }) => [operations, vectors.length])).toEqual(
      batches.map((operations) => [operations, operations.length]),
    );
    return listSummaries();
  };
  expect(await repeatWork()).toEqual(['Fog']);
  // Once the work is done, none of it is cached.
  expect(await repeatWork()).toEqual(['Fog', 'Rain', 'Snow', 'Weather', 'Wind']);
});

test('replacing the model between two batches aborts the work', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const operation = { method: 'GET', path: '/', operationId: null, tags: [], deprecated: false, excerpt: '' };
  const batches = [[{ ...operation, summary: 'Rain' }], [{ ...operation, summary: 'Snow' }]];
  const context = { name: 'Weather', description: '', baseUrl: '' };
  const work = async () => {
    for await (const { vectors } of operationEmbedder.embedOperations(context, batches, async () => {})) {
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
    await addDocument(harness, { ...weather, paths });
    await harness.runJobs();
    const [block] = await harness.ports.operationBlocks.listChangedSince(0, await wordEmbedder.getModelId(), 1);
    const unpackedOperations = unpackOperations(block?.packed ?? new Uint8Array());
    expect(unpackedOperations).toHaveLength(count);
    expect(new Set(unpackedOperations.map(({ key }) => key)).size).toBe(count);
    expect(await search(harness, `station x${count - 1}`)).toContain(`/stations/${count - 1}`);
  },
  60_000,
);

test('an interrupted job is immediately due again, and has not failed', async () => {
  const harness = await createHarnessWithWeather({});
  const id = await findOperationsJob(harness);
  expect(await harness.useCases.workJob(id, () => true)).toBe('interrupted');
  const now = harness.clock.now();
  expect((await harness.ports.outbox.claim(id, now, now + 1))?.attempts).toBe(0);
});

/** Creates the built-in embedder, but with a call to `advance` at each checkpoint to let time pass. */
const createSlowEmbedder = (advance: () => void): OperationEmbedder => ({
  ...wordEmbedder,
  embedOperations: (context, batches, checkpoint) =>
    wordEmbedder.embedOperations(context, batches, async () => {
      advance();
      await checkpoint();
    }),
});

test('a long job renews its lease, so that no second worker runs it', async () => {
  const claims: unknown[] = [];
  const operationEmbedder = createSlowEmbedder(() => {
    harness.clock.advance(15_000);
    claims.push(harness.ports.outbox.claim(id, harness.clock.now(), harness.clock.now() + 1));
  });
  const harness = await createHarnessWithWeather({ operationEmbedder });
  const id = await findOperationsJob(harness);
  expect(await harness.useCases.workJob(id)).toBe('done');
  expect(await Promise.all(claims)).toEqual([null, null, null, null, null, null]);
});

test('a job stops at its next checkpoint if another worker has leased it, and that lease is not changed', async () => {
  const claim = () => harness.ports.outbox.claim(id, harness.clock.now(), harness.clock.now() + 20_000);
  const claims: unknown[] = [];
  const operationEmbedder = createSlowEmbedder(() => {
    harness.clock.advance(30_000);
    claims.push(claim());
  });
  const harness = await createHarnessWithWeather({ operationEmbedder });
  const id = await findOperationsJob(harness);
  expect(await harness.useCases.workJob(id)).toBe('interrupted');
  expect(await Promise.all(claims)).toMatchObject([{ id }]);
  expect(await claim()).toBeNull();
});

test('blocks from other models are removed if unused for a day and every collection has its current block', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  const { ports, clock } = harness;
  await harness.runJobs();
  await harness.useCases.checkModels();
  const firstModelId = await operationEmbedder.getModelId();
  const otherUseCases = createUseCases({ ...ports, operationEmbedder: wordEmbedder }, defaultSettings);
  await otherUseCases.checkModels();
  model.change();
  const hasBlocks = async (modelId: string) => (await ports.operationBlocks.listChangedSince(0, modelId, 1)).length > 0;

  clock.advance(dayMs);
  await otherUseCases.checkModels();
  expect((await harness.useCases.checkModels()).removedModels).toEqual([]);
  await harness.runJobs();
  // The other configuration is still in use.
  expect((await harness.useCases.checkModels()).removedModels).toEqual([]);
  expect(await hasBlocks(firstModelId)).toBe(true);

  clock.advance(dayMs - 1);
  expect((await harness.useCases.checkModels()).removedModels).toEqual([]);
  clock.advance(1);
  const { removedModels } = await harness.useCases.checkModels();
  expect(removedModels.toSorted()).toEqual(
    [`operations: ${firstModelId}`, `operations: ${await wordEmbedder.getModelId()}`].toSorted(),
  );
  expect(await hasBlocks(firstModelId)).toBe(false);
  expect(await hasBlocks(await operationEmbedder.getModelId())).toBe(true);
  expect((await harness.useCases.checkModels()).removedModels).toEqual([]);
});

test('blocks from other models are kept until every collection has its current block', async () => {
  const { model, operationEmbedder } = createRecordingModel();
  const harness = await createHarnessWithWeather({ operationEmbedder });
  await harness.runJobs();
  await harness.useCases.checkModels();
  model.change();
  harness.clock.advance(dayMs);
  await harness.useCases.checkModels();
  harness.clock.advance(dayMs);
  expect((await harness.useCases.checkModels()).removedModels).toEqual([]);
  await harness.runJobs();
  expect((await harness.useCases.checkModels()).removedModels).toHaveLength(1);
});
