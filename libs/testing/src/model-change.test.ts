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

/** Of the harness's embedder, which has switches, with one more switch. */
const builtInModel = `${await createWordVectorEmbedder().modelId()}/1/1`;

const spec = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {} };
const minuteMs = 60_000;

/** One process of an installation. */
interface Replica {
  readonly useCases: UseCases;
  readonly ports: Ports;
  /** The names and scores that a search finds. */
  readonly found: (query: string) => Promise<Record<string, number>>;
  readonly runJobs: () => Promise<void>;
}

/** An installation whose processes share one database. `old` and `next` are versions with another current model. */
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
    const admitted = async (): Promise<Principal> => {
      const credential = { kind: 'token', token: tokens.mint({ uid: 'root', email: 'root@example.com' }) } as const;
      const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
      return (await useCases.admit(request)).principal;
    };
    return {
      useCases,
      ports,
      found: async (query) => {
        const { results } = await useCases.searchCollections(await admitted(), query, 10);
        return Object.fromEntries(results.map(({ collectionName, score }) => [collectionName, score]));
      },
      runJobs: () => runDueJobs(ports, useCases, () => clock.now()),
    };
  };
  const builtIn = createSwitchedEmbedder(harness.embedder);
  const another = createSwitchedEmbedder(createAnotherEmbedder());
  const old = replica(builtIn);
  const create = async (name: string): Promise<CollectionId> => {
    const texts = { name, description: '', authentication: null };
    return (await old.useCases.createCollection(authority, admin.id, { ...texts, document, strict: false })).id;
  };
  const { useCases } = old;
  const rename = (id: CollectionId, name: string) => useCases.updateCollection(authority, id, { name, strict: false });
  const remove = (id: CollectionId) => useCases.removeCollection(authority, id);
  return { ...harness, replica, builtIn, another, old, next: replica(another, builtIn), create, rename, remove };
};

/** As many jobs as are due, but one at a time. */
const runOne = async ({ ports, useCases }: Replica, now: number): Promise<void> => {
  const [id] = await ports.outbox.due('embed', now, 1);
  if (id) await useCases.workJob(id);
};

test('after an update searches answer from the old vectors until every new one is there, then from the new ones', async () => {
  const { old, next, create, clock, ports } = await installation();
  for (const name of ['rain and wind', 'rain and snow', 'credit cards']) await create(name);
  await old.runJobs();
  expect((await old.useCases.followModel()).changed).toEqual({ from: null, to: builtInModel });
  const before = await old.found('rain');
  expect(Object.keys(before)).toHaveLength(3);

  for (let done = 0; done < 3; done += 1) {
    const { changed, underWay } = await next.useCases.followModel();
    expect(changed).toBeNull();
    expect(underWay).toEqual({ from: builtInModel, to: 'another-model/1', total: 3, done, failed: 0 });
    clock.advance(5_000);
    expect(await next.useCases.readModelChange()).toEqual(underWay);
    expect(await next.found('rain')).toEqual(before);
    expect(await old.found('rain')).toEqual(before);
    await runOne(next, clock.now());
  }
  expect(await next.found('rain')).toEqual(before);
  expect(await next.useCases.followModel()).toMatchObject({
    changed: { from: builtInModel, to: 'another-model/1' },
    underWay: null,
  });
  const after = await next.found('rain');
  expect(Object.keys(after)).toHaveLength(3);
  expect(after).not.toEqual(before);
  clock.advance(5_000);
  expect(await next.useCases.readModelChange()).toBeNull();
  expect((await ports.models.state()).serving).toBe('another-model/1');
});

test('what is created, changed and deleted during a change is found by both versions', async () => {
  const { old, next, create, rename, remove } = await installation();
  const [gone, changed] = [await create('rain and wind'), await create('rain and snow')];
  await old.runJobs();
  await old.useCases.followModel();
  await next.useCases.followModel();
  await remove(gone);
  await rename(changed, 'hail and sleet');
  await create('rain and fog');
  for (const replica of [old, next]) expect(Object.keys(await replica.found('rain'))).toContain('hail and sleet');
  await next.runJobs();
  const during = await next.found('rain');
  expect(Object.keys(during).sort()).toEqual(['hail and sleet', 'rain and fog']);
  expect(await old.found('rain')).toEqual(during);
  expect((await next.useCases.followModel()).changed).not.toBeNull();
  expect(Object.keys(await next.found('rain')).sort()).toEqual(['hail and sleet', 'rain and fog']);
  await create('rain and hail');
  await next.runJobs();
  expect(Object.keys(await next.found('rain'))).toHaveLength(3);
});

test('a collection that a process without the new model embeds is queued again, until it has a vector of it', async () => {
  const { old, next, create } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.followModel();
  await next.useCases.followModel();
  for (let time = 0; time < 2; time += 1) {
    await old.runJobs();
    expect((await next.useCases.followModel()).outdated).toBe(1);
  }
  await next.runJobs();
  expect((await next.useCases.followModel()).changed).not.toBeNull();
  await create('snow');
  await old.runJobs();
  expect(Object.keys(await next.found('snow'))).toEqual(['rain']);
  expect((await next.useCases.followModel()).outdated).toBe(1);
  await next.runJobs();
  expect(Object.keys(await next.found('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await next.useCases.followModel()).outdated).toBe(0);
});

test('a collection that the new model cannot embed does not hold up the change', async () => {
  const { old, next, create, another } = await installation();
  for (const name of ['rain', 'snow']) await create(name);
  await old.runJobs();
  await old.useCases.followModel();
  another.refuse('snow');
  await next.useCases.followModel();
  await next.runJobs();
  const { changed } = await next.useCases.followModel();
  expect(changed).toEqual({ from: builtInModel, to: 'another-model/1' });
  expect(Object.keys(await next.found('snow'))).toEqual(['rain']);
});

test('while the new model is away, changes get their vector of the old one, and are found', async () => {
  const { old, replica, create, builtIn, another, clock } = await installation();
  const ofSameServer = { ...another, modelId: () => Promise.reject(new PorticoError('embedding_unavailable')) };
  const next = replica(another, builtIn, ofSameServer);
  await create('rain');
  await old.runJobs();
  await old.useCases.followModel();
  await next.useCases.followModel();
  another.interrupt();
  await create('snow');
  await next.runJobs();
  expect(Object.keys(await next.found('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await next.useCases.followModel()).underWay).toMatchObject({ total: 2, done: 0 });
  another.resume();
  clock.advance(minuteMs);
  await next.runJobs();
  expect((await next.useCases.followModel()).changed).not.toBeNull();
});

test('a text that only the old model refuses is embedded with the new one', async () => {
  const { old, next, create, builtIn } = await installation();
  await old.useCases.followModel();
  await next.useCases.followModel();
  builtIn.refuse('snow');
  await create('snow');
  await next.runJobs();
  expect(await next.ports.deadLetters.list(9)).toEqual([]);
  expect(await next.ports.embeddings.embedded('another-model/1')).toBe(1);
});

test('after going back to the old version searches find everything at once, and everything later as well', async () => {
  const { old, next, replica, builtIn, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.followModel();
  const before = await old.found('rain');
  await next.useCases.followModel();
  await next.runJobs();
  await next.useCases.followModel();

  const back = replica(builtIn);
  expect(await back.found('rain')).toEqual(before);
  await create('snow');
  await back.runJobs();
  expect(Object.keys(await back.found('snow')).sort()).toEqual(['rain', 'snow']);
  expect((await back.useCases.followModel()).changed).toBeNull();
  clock.advance(29 * minuteMs);
  expect((await back.useCases.followModel()).changed).toBeNull();
  clock.advance(minuteMs);
  expect((await back.useCases.followModel()).changed).not.toBeNull();
  expect((await ports.models.state()).serving).toBe(builtInModel);
});

test('processes of two versions do not change the model back and forth, nor embed without end', async () => {
  const { old, next, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.followModel();
  await next.useCases.followModel();
  await next.runJobs();
  const changes: unknown[] = [];
  for (let time = 0; time < 100; time += 1) {
    for (const replica of [old, next]) {
      const { changed } = await replica.useCases.followModel();
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
  await old.useCases.followModel();
  for (const [there, model] of [
    [replica(another, builtIn), 'another-model/1'],
    [replica(builtIn), builtInModel],
    [replica(another, builtIn), 'another-model/1'],
  ] as const) {
    clock.advance(31 * minuteMs);
    await there.useCases.followModel();
    expect(Object.keys(await there.found('rain'))).toEqual(['rain']);
    await there.runJobs();
    await there.useCases.followModel();
    expect((await ports.models.state()).serving).toBe(model);
  }
});

test('a model that nobody has used for a day loses its vectors', async () => {
  const { old, next, create, clock, ports } = await installation();
  for (const name of ['rain', 'snow']) await create(name);
  await old.runJobs();
  await old.useCases.followModel();
  await next.useCases.followModel();
  await next.runJobs();
  expect((await next.useCases.followModel()).isShared).toBe(true);
  clock.advance(24 * 60 * minuteMs - 1);
  expect((await next.useCases.followModel()).forgotten).toEqual([]);
  expect(await ports.embeddings.changedSince(0, builtInModel, 9)).toHaveLength(2);
  clock.advance(1);
  const { forgotten, isShared } = await next.useCases.followModel();
  expect([forgotten, isShared]).toEqual([[builtInModel], false]);
  expect(await ports.embeddings.changedSince(0, builtInModel, 9)).toEqual([]);
  expect(Object.keys(await next.found('rain'))).toHaveLength(2);
  await create('hail');
  await next.runJobs();
  expect(await ports.embeddings.changedSince(0, builtInModel, 9)).toEqual([]);
});

test('a model whose vectors the index cannot drop yet is forgotten by a later look', async () => {
  const { old, builtIn, another, create, clock, ports } = await installation();
  await create('rain');
  await old.runJobs();
  await old.useCases.followModel();
  const dropped: string[] = [];
  const forget = async (modelId: string): Promise<void> => {
    if (dropped.push(modelId) === 1) throw new Error('The index is away');
  };
  const vectors = { ...ports.vectors, forget };
  const needs: Ports = { ...ports, vectors, embedder: another, earlierEmbedders: [builtIn] };
  const next = createUseCases(needs, defaultSettings);
  await next.followModel();
  await runDueJobs(needs, next, () => clock.now());
  await next.followModel();
  clock.advance(24 * 60 * minuteMs);
  await expect(next.followModel()).rejects.toThrow('away');
  const recorded = async () => (await ports.models.state()).announced.map(({ modelId }) => modelId);
  expect(await recorded()).toContain(builtInModel);
  expect((await next.followModel()).forgotten).toEqual([builtInModel]);
  expect(await recorded()).not.toContain(builtInModel);
  expect(dropped).toEqual([builtInModel, builtInModel]);
});

test('an empty catalog is searched with the current model at once', async () => {
  const { next, old } = await installation();
  await old.useCases.followModel();
  expect((await next.useCases.followModel()).changed).toEqual({ from: builtInModel, to: 'another-model/1' });
});
