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
const builtInModel = `${await createWordVectorEmbedder().modelId()}/1/1`;

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
 * Creates an installation whose processes share one database. `old` and `next` are versions with different current
 * models.
 */
const installation = async () => {
  const harness = createHarness();
  const { clock, tokens, documents } = harness;
  const admin = await harness.useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  if (!admin) throw new Error('There already is an admin');
  const authority = authorityOf({ profile: admin, deadline: null });
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)), 'json');

  const replica = (embedder: Embedder, ...earlierEmbedders: readonly Embedder[]): Replica => {
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
  const another = createSwitchedEmbedder(createAnotherEmbedder());
  const old = replica(builtIn);
  const create = async (name: string): Promise<CollectionId> => {
    const input = { name, description: '', authentication: null };
    return (await old.useCases.createCollection(authority, admin.id, { ...input, document, strict: false })).id;
  };
  const { useCases } = old;
  const rename = (id: CollectionId, name: string) => useCases.updateCollection(authority, id, { name, strict: false });
  const remove = (id: CollectionId) => useCases.removeCollection(authority, id);
  return { ...harness, replica, builtIn, another, old, next: replica(another, builtIn), create, rename, remove };
};

/** Runs one due job. */
const runOne = async ({ ports, useCases }: Replica, now: number): Promise<void> => {
  const [id] = await ports.outbox.due('embed', now, 1);
  if (id) await useCases.workJob(id);
};

test('after an update searches use the old vectors until all new ones are stored, then the new ones', async () => {
  const { old, next, create, clock, ports } = await installation();
  for (const name of ['rain and wind', 'rain and snow', 'credit cards']) await create(name);
  await old.runJobs();
  expect((await old.useCases.checkModels()).changed).toEqual({ from: null, to: builtInModel });
  const before = await old.search('rain');
  expect(Object.keys(before)).toHaveLength(3);

  for (let done = 0; done < 3; done += 1) {
    const { changed, inProgress } = await next.useCases.checkModels();
    expect(changed).toBeNull();
    expect(inProgress).toEqual({ from: builtInModel, to: 'another-model/1', total: 3, done, failed: 0 });
    clock.advance(5_000);
    expect(await next.useCases.readModelChange()).toEqual(inProgress);
    expect(await next.search('rain')).toEqual(before);
    expect(await old.search('rain')).toEqual(before);
    await runOne(next, clock.now());
  }
  expect(await next.search('rain')).toEqual(before);
  expect(await next.useCases.checkModels()).toMatchObject({
    changed: { from: builtInModel, to: 'another-model/1' },
    inProgress: null,
  });
  const after = await next.search('rain');
  expect(Object.keys(after)).toHaveLength(3);
  expect(after).not.toEqual(before);
  clock.advance(5_000);
  expect(await next.useCases.readModelChange()).toBeNull();
  expect((await ports.models.state()).serving).toBe('another-model/1');
});

test('changes of collections during a model change are visible in both versions', async () => {
  const { old, next, create, rename, remove } = await installation();
  const [deletedId, renamedId] = [await create('rain and wind'), await create('rain and snow')];
  await old.runJobs();
  await old.useCases.checkModels();
  await next.useCases.checkModels();
  await remove(deletedId);
  await rename(renamedId, 'hail and sleet');
  await create('rain and fog');
  for (const replica of [old, next]) expect(Object.keys(await replica.search('rain'))).toContain('hail and sleet');
  await next.runJobs();
  const during = await next.search('rain');
  expect(Object.keys(during).sort()).toEqual(['hail and sleet', 'rain and fog']);
  expect(await old.search('rain')).toEqual(during);
  expect((await next.useCases.checkModels()).changed).not.toBeNull();
  expect(Object.keys(await next.search('rain')).sort()).toEqual(['hail and sleet', 'rain and fog']);
  await create('rain and hail');
  await next.runJobs();
  expect(Object.keys(await next.search('rain'))).toHaveLength(3);
});

test('a collection embedded by a process without the new model is queued until the new model embeds it', async () => {
  const { old, next, create } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.checkModels();
  await next.useCases.checkModels();
  for (let time = 0; time < 2; time += 1) {
    await old.runJobs();
    expect((await next.useCases.checkModels()).outdated).toBe(1);
  }
  await next.runJobs();
  expect((await next.useCases.checkModels()).changed).not.toBeNull();
  await create('snow');
  await old.runJobs();
  expect(Object.keys(await next.search('snow'))).toEqual(['rain']);
  expect((await next.useCases.checkModels()).outdated).toBe(1);
  await next.runJobs();
  expect(Object.keys(await next.search('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await next.useCases.checkModels()).outdated).toBe(0);
});

test('a collection that the new model cannot embed does not block the change', async () => {
  const { old, next, create, another } = await installation();
  for (const name of ['rain', 'snow']) await create(name);
  await old.runJobs();
  await old.useCases.checkModels();
  another.refuse('snow');
  await next.useCases.checkModels();
  await next.runJobs();
  const { changed } = await next.useCases.checkModels();
  expect(changed).toEqual({ from: builtInModel, to: 'another-model/1' });
  expect(Object.keys(await next.search('snow'))).toEqual(['rain']);
});

test('while the new model is unavailable, changed collections get vectors of the old model, and are found', async () => {
  const { old, replica, create, builtIn, another, clock } = await installation();
  const onSameServer = { ...another, modelId: () => Promise.reject(new PorticoError('embedding_unavailable')) };
  const next = replica(another, builtIn, onSameServer);
  await create('rain');
  await old.runJobs();
  await old.useCases.checkModels();
  await next.useCases.checkModels();
  another.interrupt();
  await create('snow');
  await next.runJobs();
  expect(Object.keys(await next.search('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await next.useCases.checkModels()).inProgress).toMatchObject({ total: 2, done: 0 });
  another.resume();
  clock.advance(minuteMs);
  await next.runJobs();
  expect((await next.useCases.checkModels()).changed).not.toBeNull();
});

test('a text that only the old model refuses is embedded with the new one', async () => {
  const { old, next, create, builtIn } = await installation();
  await old.useCases.checkModels();
  await next.useCases.checkModels();
  builtIn.refuse('snow');
  await create('snow');
  await next.runJobs();
  expect(await next.ports.deadLetters.list(9)).toEqual([]);
  expect(await next.ports.embeddings.embedded('another-model/1')).toBe(1);
});

test('after a downgrade, searches immediately find everything, including later changes', async () => {
  const { old, next, replica, builtIn, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.checkModels();
  const before = await old.search('rain');
  await next.useCases.checkModels();
  await next.runJobs();
  await next.useCases.checkModels();

  const downgraded = replica(builtIn);
  expect(await downgraded.search('rain')).toEqual(before);
  await create('snow');
  await downgraded.runJobs();
  expect(Object.keys(await downgraded.search('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await downgraded.useCases.checkModels()).changed).toBeNull();
  clock.advance(29 * minuteMs);
  expect((await downgraded.useCases.checkModels()).changed).toBeNull();
  clock.advance(minuteMs);
  expect((await downgraded.useCases.checkModels()).changed).not.toBeNull();
  expect((await ports.models.state()).serving).toBe(builtInModel);
});

test('processes of two versions neither switch the model back and forth nor embed endlessly', async () => {
  const { old, next, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.checkModels();
  await next.useCases.checkModels();
  await next.runJobs();
  const changes: unknown[] = [];
  for (let time = 0; time < 100; time += 1) {
    for (const replica of [old, next]) {
      const { changed } = await replica.useCases.checkModels();
      if (changed) changes.push(changed);
    }
    clock.advance(minuteMs);
  }
  expect(changes).toHaveLength(1);
  expect((await ports.outbox.state(clock.now())).waiting).toBe(0);
});

test('switching to a model on a server and back to the built-in one works both ways', async () => {
  const { replica, builtIn, another, old, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.checkModels();
  for (const [replicaWithModel, model] of [
    [replica(another, builtIn), 'another-model/1'],
    [replica(builtIn), builtInModel],
    [replica(another, builtIn), 'another-model/1'],
  ] as const) {
    clock.advance(31 * minuteMs);
    await replicaWithModel.useCases.checkModels();
    expect(Object.keys(await replicaWithModel.search('rain'))).toEqual(['rain']);
    await replicaWithModel.runJobs();
    await replicaWithModel.useCases.checkModels();
    expect((await ports.models.state()).serving).toBe(model);
  }
});

test('a model that was not used for a day loses its vectors', async () => {
  const { old, next, create, clock, ports } = await installation();
  for (const name of ['rain', 'snow']) await create(name);
  await old.runJobs();
  await old.useCases.checkModels();
  await next.useCases.checkModels();
  await next.runJobs();
  expect((await next.useCases.checkModels()).hasSeveralModels).toBe(true);
  clock.advance(24 * 60 * minuteMs - 1);
  expect((await next.useCases.checkModels()).removed).toEqual([]);
  expect(await ports.embeddings.changedSince(0, builtInModel, 9)).toHaveLength(2);
  clock.advance(1);
  const { removed, hasSeveralModels } = await next.useCases.checkModels();
  expect([removed, hasSeveralModels]).toEqual([[builtInModel], false]);
  expect(await ports.embeddings.changedSince(0, builtInModel, 9)).toEqual([]);
  expect(Object.keys(await next.search('rain'))).toHaveLength(2);
  await create('hail');
  await next.runJobs();
  expect(await ports.embeddings.changedSince(0, builtInModel, 9)).toEqual([]);
});

test('a model whose vectors the index cannot drop yet is removed by a later check', async () => {
  const { old, builtIn, another, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.checkModels();
  const dropCalls: string[] = [];
  const dropModel = async (modelId: string): Promise<void> => {
    if (dropCalls.push(modelId) === 1) throw new Error('The index is unavailable');
  };
  const vectors = { ...ports.vectors, dropModel };
  const needs: Ports = { ...ports, vectors, embedder: another, earlierEmbedders: [builtIn] };
  const next = createUseCases(needs, defaultSettings);
  await next.checkModels();
  await runDueJobs(needs, next, () => clock.now());
  await next.checkModels();
  clock.advance(24 * 60 * minuteMs);
  await expect(next.checkModels()).rejects.toThrow('unavailable');
  const announcedModels = async () => (await ports.models.state()).announced.map(({ modelId }) => modelId);
  expect(await announcedModels()).toContain(builtInModel);
  expect((await next.checkModels()).removed).toEqual([builtInModel]);
  expect(await announcedModels()).not.toContain(builtInModel);
  expect(dropCalls).toEqual([builtInModel, builtInModel]);
});

test('an empty catalog is immediately searched with the current model', async () => {
  const { next, old } = await installation();
  await old.useCases.checkModels();
  expect((await next.useCases.checkModels()).changed).toEqual({ from: builtInModel, to: 'another-model/1' });
});
