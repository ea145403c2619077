import { createEmbeddedVectorIndex } from '@portico/vectors';
import {
  authorityOf,
  createUseCases,
  PorticoError,
  type CollectionId,
  type Embedder,
  type Ports,
  type Principal,
  type UseCases,
} from '@portico/domain';
import { createWordVectorEmbedder } from '@portico/word-vectors';
import { expect, test } from 'vitest';
import { createAnotherEmbedder } from './another-embedder.ts';
import { createHarness, defaultSettings } from './harness.ts';
import { runDueJobs } from './run-due-jobs.ts';
import { createSwitchedEmbedder } from './switched-embedder.ts';
import { testIssuer } from './test-issuer.ts';

/** The model id of the harness's embedder, which is wrapped in two switched embedders. */
const builtInModel = `${await createWordVectorEmbedder().getModelId()}/1/1`;

const spec = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {} };
const minuteMs = 60_000;

/** One process of an installation. */
interface Replica {
  readonly useCases: UseCases;
  readonly ports: Ports;
  /** Returns the names and scores of the search results. */
  readonly search: (query: string) => Promise<Record<string, number>>;
  readonly runJobs: () => Promise<void>;
}

/**
 * Creates an installation whose processes share one database. `oldReplica` and `nextReplica` are versions with different current
 * models.
 */
const setUp = async () => {
  const harness = createHarness();
  const { clock, tokens, documents } = harness;
  const admin = await harness.useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  if (!admin) throw new Error('There is already an admin');
  const authority = authorityOf({ profile: admin, deadline: null });
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)));

  const createReplica = (embedder: Embedder, ...earlierEmbedders: readonly Embedder[]): Replica => {
    const vectors = createEmbeddedVectorIndex(harness.ports);
    const ports: Ports = { ...harness.ports, vectors, embedder, earlierEmbedders };
    const useCases = createUseCases(ports, defaultSettings);
    const admit = async (): Promise<Principal> => {
      const credential = { kind: 'token', token: tokens.mint({ uid: 'root', email: 'root@example.com' }) } as const;
      const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
      return (await useCases.admit(request)).principal;
    };
    return {
      useCases,
      ports,
      search: async (query) => {
        const { results } = await useCases.searchCollections(await admit(), query, 10);
        return Object.fromEntries(results.map(({ collectionName, score }) => [collectionName, score]));
      },
      runJobs: () => runDueJobs(ports, useCases, () => clock.now()),
    };
  };
  const builtIn = createSwitchedEmbedder(harness.embedder);
  const otherEmbedder = createSwitchedEmbedder(createAnotherEmbedder());
  const oldReplica = createReplica(builtIn);
  const create = async (name: string): Promise<CollectionId> => {
    const input = { name, description: '', authentication: null };
    return (await oldReplica.useCases.createCollection(authority, admin.id, { ...input, document, strict: false })).id;
  };
  const { useCases } = oldReplica;
  const rename = (id: CollectionId, name: string) => useCases.updateCollection(authority, id, { name, strict: false });
  const remove = (id: CollectionId) => useCases.removeCollection(authority, id);
  return {
    ...harness,
    createReplica,
    builtIn,
    otherEmbedder,
    oldReplica,
    nextReplica: createReplica(otherEmbedder, builtIn),
    create,
    rename,
    remove,
  };
};

/** Runs one due job. */
const runOneJob = async ({ ports, useCases }: Replica, now: number): Promise<void> => {
  const [id] = await ports.outbox.listDue('embed', now, 1);
  if (id) await useCases.workJob(id);
};

test('after an update, searches use the old vectors until all new ones are stored, and then the new ones', async () => {
  const { oldReplica, nextReplica, create, clock, ports } = await setUp();
  for (const name of ['rain and wind', 'rain and snow', 'credit cards']) await create(name);
  await oldReplica.runJobs();
  expect((await oldReplica.useCases.checkModels()).completedChange).toEqual({ from: null, to: builtInModel });
  const scoresBefore = await oldReplica.search('rain');
  expect(Object.keys(scoresBefore)).toHaveLength(3);

  for (let done = 0; done < 3; done += 1) {
    const { completedChange, ongoingChange } = await nextReplica.useCases.checkModels();
    expect(completedChange).toBeNull();
    expect(ongoingChange).toEqual({ from: builtInModel, to: 'another-model/1', total: 3, done, failed: 0 });
    clock.advance(5_000);
    expect(await nextReplica.useCases.readModelChange()).toEqual(ongoingChange);
    expect(await nextReplica.search('rain')).toEqual(scoresBefore);
    expect(await oldReplica.search('rain')).toEqual(scoresBefore);
    await runOneJob(nextReplica, clock.now());
  }
  expect(await nextReplica.search('rain')).toEqual(scoresBefore);
  expect(await nextReplica.useCases.checkModels()).toMatchObject({
    completedChange: { from: builtInModel, to: 'another-model/1' },
    ongoingChange: null,
  });
  const scoresAfter = await nextReplica.search('rain');
  expect(Object.keys(scoresAfter)).toHaveLength(3);
  expect(scoresAfter).not.toEqual(scoresBefore);
  clock.advance(5_000);
  expect(await nextReplica.useCases.readModelChange()).toBeNull();
  expect((await ports.models.readState()).serving).toBe('another-model/1');
});

test('changes to collections during a model change are visible in both versions', async () => {
  const { oldReplica, nextReplica, create, rename, remove } = await setUp();
  const [deletedId, renamedId] = [await create('rain and wind'), await create('rain and snow')];
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  await nextReplica.useCases.checkModels();
  await remove(deletedId);
  await rename(renamedId, 'hail and sleet');
  await create('rain and fog');
  for (const replica of [oldReplica, nextReplica])
    expect(Object.keys(await replica.search('rain'))).toContain('hail and sleet');
  await nextReplica.runJobs();
  const scoresDuring = await nextReplica.search('rain');
  expect(Object.keys(scoresDuring).sort()).toEqual(['hail and sleet', 'rain and fog']);
  expect(await oldReplica.search('rain')).toEqual(scoresDuring);
  expect((await nextReplica.useCases.checkModels()).completedChange).not.toBeNull();
  expect(Object.keys(await nextReplica.search('rain')).sort()).toEqual(['hail and sleet', 'rain and fog']);
  await create('rain and hail');
  await nextReplica.runJobs();
  expect(Object.keys(await nextReplica.search('rain'))).toHaveLength(3);
});

test('a collection embedded by a process without the new model is queued until the new model embeds it', async () => {
  const { oldReplica, nextReplica, create } = await setUp();
  await create('rain');
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  await nextReplica.useCases.checkModels();
  for (let time = 0; time < 2; time += 1) {
    await oldReplica.runJobs();
    expect((await nextReplica.useCases.checkModels()).outdatedCount).toBe(1);
  }
  await nextReplica.runJobs();
  expect((await nextReplica.useCases.checkModels()).completedChange).not.toBeNull();
  await create('snow');
  await oldReplica.runJobs();
  expect(Object.keys(await nextReplica.search('snow'))).toEqual(['rain']);
  expect((await nextReplica.useCases.checkModels()).outdatedCount).toBe(1);
  await nextReplica.runJobs();
  expect(Object.keys(await nextReplica.search('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await nextReplica.useCases.checkModels()).outdatedCount).toBe(0);
});

test('a collection that the new model cannot embed does not block the change', async () => {
  const { oldReplica, nextReplica, create, otherEmbedder } = await setUp();
  for (const name of ['rain', 'snow']) await create(name);
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  otherEmbedder.reject('snow');
  await nextReplica.useCases.checkModels();
  await nextReplica.runJobs();
  const { completedChange } = await nextReplica.useCases.checkModels();
  expect(completedChange).toEqual({ from: builtInModel, to: 'another-model/1' });
  expect(Object.keys(await nextReplica.search('snow'))).toEqual(['rain']);
});

test('while the new model is unavailable, changed collections get vectors from the old model, and are found', async () => {
  const { oldReplica, createReplica, create, builtIn, otherEmbedder, clock } = await setUp();
  const unavailableBuiltIn = {
    ...otherEmbedder,
    getModelId: () => Promise.reject(new PorticoError('embedding_unavailable')),
  };
  const nextReplica = createReplica(otherEmbedder, builtIn, unavailableBuiltIn);
  await create('rain');
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  await nextReplica.useCases.checkModels();
  otherEmbedder.interrupt();
  await create('snow');
  await nextReplica.runJobs();
  expect(Object.keys(await nextReplica.search('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await nextReplica.useCases.checkModels()).ongoingChange).toMatchObject({ total: 2, done: 0 });
  otherEmbedder.resume();
  clock.advance(minuteMs);
  await nextReplica.runJobs();
  expect((await nextReplica.useCases.checkModels()).completedChange).not.toBeNull();
});

test('a text that only the old model rejects is embedded by the new one', async () => {
  const { oldReplica, nextReplica, create, builtIn } = await setUp();
  await oldReplica.useCases.checkModels();
  await nextReplica.useCases.checkModels();
  builtIn.reject('snow');
  await create('snow');
  await nextReplica.runJobs();
  expect(await nextReplica.ports.deadLetters.list(9)).toEqual([]);
  expect(await nextReplica.ports.embeddings.countEmbedded('another-model/1')).toBe(1);
});

test('after a downgrade, searches immediately find everything, including later changes', async () => {
  const { oldReplica, nextReplica, createReplica, builtIn, create, clock, ports } = await setUp();
  await create('rain');
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  const scoresBefore = await oldReplica.search('rain');
  await nextReplica.useCases.checkModels();
  await nextReplica.runJobs();
  await nextReplica.useCases.checkModels();

  const downgradedReplica = createReplica(builtIn);
  expect(await downgradedReplica.search('rain')).toEqual(scoresBefore);
  await create('snow');
  await downgradedReplica.runJobs();
  expect(Object.keys(await downgradedReplica.search('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await downgradedReplica.useCases.checkModels()).completedChange).toBeNull();
  clock.advance(29 * minuteMs);
  expect((await downgradedReplica.useCases.checkModels()).completedChange).toBeNull();
  clock.advance(minuteMs);
  expect((await downgradedReplica.useCases.checkModels()).completedChange).not.toBeNull();
  expect((await ports.models.readState()).serving).toBe(builtInModel);
});

test('processes of two versions neither switch the model back and forth nor embed endlessly', async () => {
  const { oldReplica, nextReplica, create, clock, ports } = await setUp();
  await create('rain');
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  await nextReplica.useCases.checkModels();
  await nextReplica.runJobs();
  const changes: unknown[] = [];
  for (let time = 0; time < 100; time += 1) {
    for (const replica of [oldReplica, nextReplica]) {
      const { completedChange } = await replica.useCases.checkModels();
      if (completedChange) changes.push(completedChange);
    }
    clock.advance(minuteMs);
  }
  expect(changes).toHaveLength(1);
  expect((await ports.outbox.readState(clock.now())).waiting).toBe(0);
});

test('searches can switch to a model on a server and back to the built-in one', async () => {
  const { createReplica, builtIn, otherEmbedder, oldReplica, create, clock, ports } = await setUp();
  await create('rain');
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  for (const [replicaWithModel, model] of [
    [createReplica(otherEmbedder, builtIn), 'another-model/1'],
    [createReplica(builtIn), builtInModel],
    [createReplica(otherEmbedder, builtIn), 'another-model/1'],
  ] as const) {
    clock.advance(31 * minuteMs);
    await replicaWithModel.useCases.checkModels();
    expect(Object.keys(await replicaWithModel.search('rain'))).toEqual(['rain']);
    await replicaWithModel.runJobs();
    await replicaWithModel.useCases.checkModels();
    expect((await ports.models.readState()).serving).toBe(model);
  }
});

test('a model that was not used for a day loses its vectors', async () => {
  const { oldReplica, nextReplica, create, clock, ports } = await setUp();
  for (const name of ['rain', 'snow']) await create(name);
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  await nextReplica.useCases.checkModels();
  await nextReplica.runJobs();
  expect((await nextReplica.useCases.checkModels()).hasSeveralModels).toBe(true);
  clock.advance(24 * 60 * minuteMs - 1);
  expect((await nextReplica.useCases.checkModels()).removedModels).toEqual([]);
  expect(await ports.embeddings.listChangedSince(0, builtInModel, 9)).toHaveLength(2);
  clock.advance(1);
  const { removedModels, hasSeveralModels } = await nextReplica.useCases.checkModels();
  expect([removedModels, hasSeveralModels]).toEqual([[builtInModel], false]);
  expect(await ports.embeddings.listChangedSince(0, builtInModel, 9)).toEqual([]);
  expect(Object.keys(await nextReplica.search('rain'))).toHaveLength(2);
  await create('hail');
  await nextReplica.runJobs();
  expect(await ports.embeddings.listChangedSince(0, builtInModel, 9)).toEqual([]);
});

test('a model whose vectors the index cannot drop yet is removed by a later check', async () => {
  const { oldReplica, builtIn, otherEmbedder, create, clock, ports } = await setUp();
  await create('rain');
  await oldReplica.runJobs();
  await oldReplica.useCases.checkModels();
  const dropCalls: string[] = [];
  const dropModel = async (modelId: string): Promise<void> => {
    if (dropCalls.push(modelId) === 1) throw new Error('The index is unavailable');
  };
  const vectors = { ...ports.vectors, dropModel };
  const replicaPorts: Ports = { ...ports, vectors, embedder: otherEmbedder, earlierEmbedders: [builtIn] };
  const nextReplica = createUseCases(replicaPorts, defaultSettings);
  await nextReplica.checkModels();
  await runDueJobs(replicaPorts, nextReplica, () => clock.now());
  await nextReplica.checkModels();
  clock.advance(24 * 60 * minuteMs);
  await expect(nextReplica.checkModels()).rejects.toThrow('unavailable');
  const listAnnouncedModels = async () =>
    (await ports.models.readState()).announcedModels.map(({ modelId }) => modelId);
  expect(await listAnnouncedModels()).toContain(builtInModel);
  expect((await nextReplica.checkModels()).removedModels).toEqual([builtInModel]);
  expect(await listAnnouncedModels()).not.toContain(builtInModel);
  expect(dropCalls).toEqual([builtInModel, builtInModel]);
});

test('an empty catalog is immediately searched with the current model', async () => {
  const { nextReplica, oldReplica } = await setUp();
  await oldReplica.useCases.checkModels();
  expect((await nextReplica.useCases.checkModels()).completedChange).toEqual({
    from: builtInModel,
    to: 'another-model/1',
  });
});
