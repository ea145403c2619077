import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId, Effects, ReindexRun } from '@portico/domain';
import { assertFails, assertRefused, assertWritten, refuse } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocument,
  aJob,
  aMailJob,
  anEmbedding,
  anEntry,
  endOfTime,
  jobsOnly,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** What `EmbeddingStore` promises. */
export const embeddingStoreContract = {
  'an embedding that was put is answered number for number': async (stores) => {
    const collection = await added(stores);
    const vector = Float32Array.from({ length: 768 }, (_, axis) => Math.sin(axis + 1) / 20);
    strictEqual(await stores.embeddings.put(anEmbedding(collection, { vector })), true);
    const [change] = await stores.embeddings.changedSince(0, 'm1', 9);
    strictEqual(change?.collectionId, collection.id);
    deepStrictEqual([...change.vector], [...vector]);
  },

  'an embedding takes the place of the earlier one of its collection, with a later sequence': async (stores) => {
    const [one, other] = [await added(stores), await added(stores)];
    for (const collection of [one, other]) await stores.embeddings.put(anEmbedding(collection));
    const before = await stores.embeddings.changedSince(0, 'm1', 9);
    await stores.embeddings.put(anEmbedding(one, {}, 5));
    const after = await stores.embeddings.changedSince(0, 'm1', 9);
    deepStrictEqual(
      after.map(({ collectionId }) => collectionId),
      [other.id, one.id],
    );
    strictEqual(after.at(-1)?.vector[5], 1);
    ok((after.at(-1)?.sequence ?? 0) > (before.at(-1)?.sequence ?? 0));
  },

  'an embedding by another model takes the place of the earlier one': async (stores) => {
    const collection = await added(stores);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1' }));
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
    deepStrictEqual(await stores.embeddings.changedSince(0, 'm1', 9), []);
    deepStrictEqual(await changedIds(stores, 0, 'm2', 9), [collection.id]);
  },

  'sequences of simultaneous puts differ': async (stores) => {
    const collections = await Promise.all(Array.from({ length: 20 }, () => added(stores)));
    await Promise.all(collections.map((collection) => stores.embeddings.put(anEmbedding(collection))));
    const changes = await stores.embeddings.changedSince(0, 'm1', 99);
    strictEqual(new Set(changes.map(({ sequence }) => sequence)).size, 20);
  },

  'a sequence is not given again after a removal': async (stores) => {
    const [gone, stays] = [await added(stores), await added(stores)];
    await stores.embeddings.put(anEmbedding(gone));
    const [change] = await stores.embeddings.changedSince(0, 'm1', 9);
    ok(change);
    await stores.collections.remove(gone.id, () => noEffects);
    await stores.embeddings.put(anEmbedding(stays));
    deepStrictEqual(await changedIds(stores, change.sequence, 'm1', 9), [stays.id]);
  },

  'an embedding of a collection that is not there is not stored': async (stores) => {
    strictEqual(await stores.embeddings.put(anEmbedding(aCollection())), false);
    deepStrictEqual(await stores.embeddings.changedSince(0, 'm1', 9), []);
  },

  'an embedding of an older or a newer text is not stored, and the earlier one stays': async (stores) => {
    const collection = await added(stores, { contentRevision: 2 });
    await stores.embeddings.put(anEmbedding(collection, {}, 3));
    for (const contentRevision of [1, 3]) {
      strictEqual(await stores.embeddings.put(anEmbedding(collection, { contentRevision }, 4)), false);
    }
    const changes = await stores.embeddings.changedSince(0, 'm1', 9);
    deepStrictEqual(
      changes.map(({ vector }) => vector[3]),
      [1],
    );
  },

  'what was given or answered cannot be used to change a stored vector': async (stores) => {
    const embedding = anEmbedding(await added(stores));
    await stores.embeddings.put(embedding);
    embedding.vector.fill(7);
    (await stores.embeddings.changedSince(0, 'm1', 9))[0]?.vector.fill(8);
    strictEqual((await stores.embeddings.changedSince(0, 'm1', 9))[0]?.vector[0], 1);
  },

  'changes are answered in the order of their sequence, from above a sequence, at most as many as asked for': async (
    stores,
  ) => {
    const collections = [await added(stores), await added(stores), await added(stores), await added(stores)];
    const order = [2, 0, 3, 1].map((index) => collections[index]).filter((collection) => collection !== undefined);
    for (const collection of order) await stores.embeddings.put(anEmbedding(collection));
    const ids = order.map(({ id }) => id);
    const all = await stores.embeddings.changedSince(0, 'm1', 9);
    deepStrictEqual(
      all.map(({ collectionId }) => collectionId),
      ids,
    );
    const [first, second, , last] = all;
    ok(first && second && last);
    deepStrictEqual(await changedIds(stores, first.sequence, 'm1', 9), ids.slice(1));
    deepStrictEqual(await changedIds(stores, second.sequence, 'm1', 1), ids.slice(2, 3));
    deepStrictEqual(await changedIds(stores, last.sequence, 'm1', 9), []);
  },

  'changes are those of the model that was asked about': async (stores) => {
    const [one, other] = [await added(stores), await added(stores)];
    await stores.embeddings.put(anEmbedding(one, { modelId: 'm1' }));
    await stores.embeddings.put(anEmbedding(other, { modelId: 'm2' }));
    deepStrictEqual(await changedIds(stores, 0, 'm1', 9), [one.id]);
    deepStrictEqual(await changedIds(stores, 0, 'm2', 9), [other.id]);
  },

  'a collection is outdated while its embedding is missing, of another model, or made from an older text': async (
    stores,
  ) => {
    const [missing, foreign, older, good] = await fourStates(stores);
    deepStrictEqual([...(await stores.embeddings.outdated('m1'))].sort(), [missing.id, foreign.id, older.id]);
    deepStrictEqual([...(await stores.embeddings.outdated('m2'))].sort(), [missing.id, older.id, good.id]);
  },

  'a change that is not of the text leaves an embedding up to date': async (stores) => {
    const collection = await added(stores);
    await stores.embeddings.put(anEmbedding(collection));
    await changed(stores, collection, { revision: 2, baseUrl: '/' });
    deepStrictEqual(await stores.embeddings.outdated('m1'), []);
  },

  'the counts are of all collections and of those with an embedding of the model that is up to date': async (
    stores,
  ) => {
    deepStrictEqual(await stores.embeddings.counts('m1'), { collections: 0, embedded: 0 });
    await fourStates(stores);
    deepStrictEqual(await stores.embeddings.counts('m1'), { collections: 4, embedded: 1 });
    deepStrictEqual(await stores.embeddings.counts('m3'), { collections: 4, embedded: 0 });
  },

  'jobs that are enqueued are in the outbox, with their entries in the log': async (stores) => {
    const effects = someEffects();
    await stores.embeddings.enqueue(effects);
    await assertWritten(stores, effects);
  },

  'a job for a collection that a job waits for is not enqueued again, while that is due, leased or put off': async (
    stores,
  ) => {
    const [due, leased, putOff] = [aJob(), aJob(), aJob()];
    await stores.embeddings.enqueue(jobsOnly(due, leased, putOff));
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(putOff.id, endOfTime, 'busy');
    const entry = anEntry();
    const fresh = aJob();
    await stores.embeddings.enqueue({
      ...noEffects,
      entries: [entry],
      jobs: [...[due, leased, putOff].map(({ task }) => aJob({ task })), fresh],
    });
    await assertWritten(stores, { ...noEffects, entries: [entry], jobs: [due, leased, putOff, fresh] });
  },

  'a job that was given up or done keeps no other from being enqueued': async (stores) => {
    const [failed, done] = [aJob(), aJob()];
    await stores.embeddings.enqueue(jobsOnly(failed, done));
    await stores.outbox.giveUp(failed.id, start, 'no use');
    await stores.outbox.done(done.id);
    const again = [failed, done].map(({ task }) => aJob({ task }));
    await stores.embeddings.enqueue(jobsOnly(...again));
    await assertWritten(stores, jobsOnly(...again));
  },

  'an enqueue that fails adds nothing, undoes nothing of those before it, and may be followed by others': async (
    stores,
  ) => {
    const [before, missing] = [aJob(), aJob()];
    await stores.embeddings.enqueue(jobsOnly(before));
    const failing = { ...noEffects, entries: [anEntry()], jobs: [missing, aJob({ id: before.id })] };
    await assertFails(stores.embeddings.enqueue(failing));
    await assertWritten(stores, jobsOnly(before));
    await stores.embeddings.enqueue(jobsOnly(aJob({ task: before.task }), missing));
    await assertWritten(stores, jobsOnly(before, missing));
  },

  'a collection is awaited while a job for it is due, leased or put off, and no more once that was given up or done':
    async (stores) => {
      const [due, leased, putOff, failed, done] = [aJob(), aJob(), aJob(), aJob(), aJob()];
      await stores.embeddings.enqueue(jobsOnly(due, leased, putOff, failed, done, aMailJob(nextId())));
      await stores.outbox.claim(leased.id, start, endOfTime);
      await stores.outbox.retry(putOff.id, endOfTime, 'busy');
      await stores.outbox.giveUp(failed.id, start, 'no use');
      await stores.outbox.done(done.id);
      const expected = [due, leased, putOff].flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : []));
      deepStrictEqual(await stores.embeddings.awaited(), new Set(expected));
    },

  'a collection is told as given up while a job for it is, and no more once that was requeued or discarded': async (
    stores,
  ) => {
    const [waiting, failed, requeued, discarded] = [aJob(), aJob(), aJob(), aJob()];
    const mail = aMailJob(nextId());
    await stores.embeddings.enqueue(jobsOnly(waiting, failed, requeued, discarded, mail));
    for (const { id } of [failed, requeued, discarded, mail]) await stores.outbox.giveUp(id, start, 'no use');
    await stores.outbox.requeue(requeued.id, start);
    await stores.outbox.discard(discarded.id);
    const expected = failed.task.kind === 'embed' ? [failed.task.collectionId] : [];
    deepStrictEqual(await stores.embeddings.givenUp(), new Set(expected));
  },

  'a job that is enqueued takes the place of those for its collection that were given up, and of no others': async (
    stores,
  ) => {
    const [first, other] = [aJob(), aJob()];
    const mail = aMailJob(nextId());
    await stores.embeddings.enqueue(jobsOnly(first, other, mail));
    for (const { id } of [first, other, mail]) await stores.outbox.giveUp(id, start, 'no use');
    const again = aJob({ task: first.task });
    await stores.embeddings.enqueue(jobsOnly(again));
    const givenUp = (await stores.outbox.givenUp(9)).map(({ id }) => id);
    deepStrictEqual(new Set(givenUp), new Set([other.id, mail.id]));
    await assertWritten(stores, jobsOnly(again));
  },

  'of simultaneous enqueues of jobs for the same collections each collection gets one': async (stores) => {
    const tasks = [aJob().task, aJob().task, aJob().task];
    await Promise.all(
      Array.from({ length: 10 }, () => stores.embeddings.enqueue(jobsOnly(...tasks.map((task) => aJob({ task }))))),
    );
    strictEqual((await stores.outbox.state(start)).waiting, tasks.length);
  },

  'a run is planned from the ids of all collections': async (stores) => {
    const ids = [(await added(stores)).id, (await added(stores)).id];
    let seen: readonly CollectionId[] = [];
    await stores.embeddings.startRun((collections) => aRun('r1', 0)((seen = collections)));
    deepStrictEqual([...seen].sort(), ids);
  },

  'a run is recorded with its jobs and entries, and answered': async (stores) => {
    const entry = anEntry({ source: 'system' });
    const plan = { ...aRun('r1', 2)(), entries: [entry] };
    deepStrictEqual(await stores.embeddings.startRun(() => plan), plan.run);
    deepStrictEqual(await stores.embeddings.lastRun(), { ...plan.run, waiting: 2, failed: 0 });
    await assertWritten(stores, plan);
  },

  'while jobs of the last run wait no other is started, and that one is answered': async (stores) => {
    const first = aRun('r1', 2)();
    await stores.embeddings.startRun(() => first);
    const answer = await stores.embeddings.startRun(aRun('r2', 3, [anEntry()]));
    deepStrictEqual(answer, first.run);
    deepStrictEqual(await stores.embeddings.lastRun(), { ...first.run, waiting: 2, failed: 0 });
    await assertWritten(stores, first);
  },

  'a job that is leased or was put off still waits for its run': async (stores) => {
    const first = aRun('r1', 2)();
    await stores.embeddings.startRun(() => first);
    const [leased, putOff] = first.jobs ?? [];
    ok(leased && putOff);
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(putOff.id, endOfTime, 'busy');
    deepStrictEqual(await stores.embeddings.lastRun(), { ...first.run, waiting: 2, failed: 0 });
    deepStrictEqual(await stores.embeddings.startRun(aRun('r2', 1)), first.run);
  },

  'jobs of the last run are counted as waiting until they are done, and as failed once given up': async (stores) => {
    const { run, jobs = [] } = aRun('r1', 3)();
    await stores.embeddings.startRun(() => ({ run, ...jobsOnly(...jobs) }));
    await stores.embeddings.enqueue(jobsOnly(aJob(), aJob({ group: 'r0' })));
    const [done, failed] = jobs;
    ok(done && failed);
    await stores.outbox.done(done.id);
    deepStrictEqual(await stores.embeddings.lastRun(), { ...run, waiting: 2, failed: 0 });
    await stores.outbox.giveUp(failed.id, start, 'no use');
    deepStrictEqual(await stores.embeddings.lastRun(), { ...run, waiting: 1, failed: 1 });
  },

  'a run can be started once no job of the last one waits, and is the last one then': async (stores) => {
    const { run, jobs = [] } = aRun('r1', 2)();
    await stores.embeddings.startRun(() => ({ run, ...jobsOnly(...jobs) }));
    const [done, failed] = jobs;
    ok(done && failed);
    await stores.outbox.done(done.id);
    await stores.outbox.giveUp(failed.id, start, 'no use');
    const second = aRun('r2', 1)();
    deepStrictEqual(await stores.embeddings.startRun(() => second), second.run);
    deepStrictEqual(await stores.embeddings.lastRun(), { ...second.run, waiting: 1, failed: 0 });
  },

  'a plan that raises passes that on and records nothing': async (stores) => {
    await assertRefused(stores.embeddings.startRun(refuse), 'already_approved');
    strictEqual(await stores.embeddings.lastRun(), null);
    await assertWritten(stores);
  },

  'of simultaneous starts exactly one records its run, which all answer': async (stores) => {
    const plans = Array.from({ length: 20 }, (_, index) => aRun(`r${index}`, 1)());
    const answers = await Promise.all(plans.map((plan) => stores.embeddings.startRun(() => plan)));
    const [first] = answers;
    const winner = plans.find(({ run }) => run.id === first?.id);
    ok(winner);
    deepStrictEqual(new Set(answers.map(({ id }) => id)), new Set([winner.run.id]));
    await assertWritten(stores, winner);
  },

  'there is no last run before the first': async (stores) => {
    await stores.embeddings.enqueue(jobsOnly(aJob({ group: 'r1' })));
    strictEqual(await stores.embeddings.lastRun(), null);
  },
} satisfies Contract<Stores>;

const added = async ({ collections }: Stores, facts: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(facts);
  await collections.add(collection, aDocument(), noEffects);
  return collection;
};

const changed = ({ collections }: Stores, { id }: Collection, change: Partial<Collection>) =>
  collections.update(id, (current) => ({ collection: { ...current, ...change }, ...noEffects }));

/** Collections whose embedding is missing, of the model `m2`, made from an older text, and up to date. */
const fourStates = async (stores: Stores) => {
  const states = [await added(stores), await added(stores), await added(stores), await added(stores)] as const;
  const [, foreign, older, good] = states;
  await stores.embeddings.put(anEmbedding(foreign, { modelId: 'm2' }));
  for (const collection of [older, good]) await stores.embeddings.put(anEmbedding(collection));
  await changed(stores, older, { revision: 2, contentRevision: 2, name: 'New' });
  return states;
};

/** A plan of a run with so many jobs. */
const aRun =
  (id: string, total: number, entries: Effects['entries'] = []) =>
  (_collections: readonly CollectionId[] = []): Effects & { readonly run: ReindexRun } => ({
    run: { id, total, startedAt: start },
    jobs: Array.from({ length: total }, () => aJob({ group: id })),
    entries,
    deadline: null,
  });

const changedIds = async ({ embeddings }: Stores, after: number, modelId: string, limit: number) =>
  (await embeddings.changedSince(after, modelId, limit)).map(({ collectionId }) => collectionId);
