import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection } from '@portico/domain';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aContent,
  aJob,
  anEmbedding,
  anOperationBlock,
  aProfile,
  jobsOnly,
  noEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `SearchModels`. */
export const searchModelsContract = {
  'a new database has no model, and searches use none': async (stores) => {
    const { serving, announced } = await stores.models.state();
    deepStrictEqual({ serving, announced }, { serving: null, announced: [] });
  },

  'an announced model is recorded with the times of its first and last announcement': async ({ models }) => {
    await models.announce('m1', start);
    await models.announce('m1', start + 5);
    deepStrictEqual((await models.state()).announced, [model('m1', start, start + 5)]);
  },

  'a clock that is behind neither moves the last announcement back nor sorts a new model before another': async ({
    models,
  }) => {
    await models.announce('m1', start);
    await models.announce('m1', start - 5);
    await models.announce('m2', start - 5);
    deepStrictEqual((await models.state()).announced, [model('m1', start, start), model('m2', start + 1, start - 5)]);
  },

  'models are listed in the order in which they were first announced': async ({ models }) => {
    for (const [step, modelId] of ['m3', 'm1', 'm2', 'm3'].entries()) await models.announce(modelId, start + step);
    deepStrictEqual(
      (await models.state()).announced.map(({ modelId }) => modelId),
      ['m3', 'm1', 'm2'],
    );
  },

  'the state has the epochs of the catalog, of embeddings and of operations': async (stores) => {
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const collection = await addCollection(stores);
    await stores.embeddings.put(anEmbedding(collection));
    await stores.embeddings.put(anEmbedding(collection));
    await stores.operationBlocks.put(anOperationBlock(collection));
    const { catalog, embeddings, operations } = (await stores.callers.byEitherId(profile.id, start))?.epochs ?? {};
    ok(catalog && embeddings && operations && catalog !== embeddings);
    deepStrictEqual((await stores.models.state()).epochs, { catalog, embeddings, operations });
  },

  'progress counts the collections with a vector of the serving model, and those with one of the next as well': async (
    stores,
  ) => {
    deepStrictEqual(await stores.models.progress('m1', 'm2'), { total: 0, done: 0, failed: 0 });
    const [done, waiting, fresh, only] = await addFour(stores);
    for (const collection of [done, waiting]) await stores.embeddings.put(anEmbedding(collection));
    for (const collection of [done, only]) await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
    ok(fresh);
    deepStrictEqual(await stores.models.progress('m1', 'm2'), { total: 2, done: 1, failed: 0 });
  },

  'a vector of the next model from an older text than the serving one does not count': async (stores) => {
    const [older, newer] = await addFour(stores);
    for (const collection of [older, newer]) {
      await stores.embeddings.put(anEmbedding(collection, { modelId: collection === older ? 'm2' : 'm1' }));
      await changeText(stores, collection);
      const modelId = collection === older ? 'm1' : 'm2';
      await stores.embeddings.put(anEmbedding(collection, { modelId, contentRevision: 2 }));
    }
    deepStrictEqual(await stores.models.progress('m1', 'm2'), { total: 2, done: 1, failed: 0 });
  },

  'a collection whose job is a dead letter has failed, unless it has its vector': async (stores) => {
    const [failed, done, waiting] = await addFour(stores);
    for (const collection of [failed, done, waiting]) await stores.embeddings.put(anEmbedding(collection));
    await stores.embeddings.put(anEmbedding(done, { modelId: 'm2' }));
    for (const { id } of [failed, done]) {
      const job = aJob({ task: { kind: 'embed', collectionId: id } });
      await stores.embeddingJobs.enqueue(jobsOnly(job));
      await stores.outbox.deadLetter(job.id, start, 'no use');
    }
    await stores.embeddingJobs.enqueue(jobsOnly(aJob({ task: { kind: 'embed', collectionId: waiting.id } })));
    deepStrictEqual(await stores.models.progress('m1', 'm2'), { total: 3, done: 1, failed: 1 });
  },

  'searches use the first model immediately': async ({ models }) => {
    strictEqual(await models.promote(null, 'm1'), true);
    strictEqual((await models.state()).serving, 'm1');
  },

  'of several promotions from the same model, only the first succeeds': async ({ models }) => {
    await models.promote(null, 'm1');
    deepStrictEqual(await Promise.all([models.promote(null, 'm2'), models.promote('m2', 'm3')]), [false, false]);
    strictEqual((await models.state()).serving, 'm1');
    deepStrictEqual(await Promise.all(['m2', 'm3'].map((to) => models.promote('m1', to))), [true, false]);
    strictEqual((await models.state()).serving, 'm2');
  },

  'searches do not switch models while a collection would be lost': async (stores) => {
    const collection = await addCollection(stores);
    await stores.models.promote(null, 'm1');
    await stores.embeddings.put(anEmbedding(collection));
    strictEqual(await stores.models.promote('m1', 'm2'), false);
    strictEqual((await stores.models.state()).serving, 'm1');
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
    strictEqual(await stores.models.promote('m1', 'm2'), true);
    strictEqual((await stores.models.state()).serving, 'm2');
  },

  'a collection without a vector, or with a dead letter, does not block a switch': async (stores) => {
    const failed = await addCollection(stores);
    await stores.models.promote(null, 'm1');
    await stores.embeddings.put(anEmbedding(failed));
    const job = aJob({ task: { kind: 'embed', collectionId: failed.id } });
    await stores.embeddingJobs.enqueue(jobsOnly(job));
    strictEqual(await stores.models.promote('m1', 'm2'), false);
    await stores.outbox.deadLetter(job.id, start, 'no use');
    await addCollection(stores);
    strictEqual(await stores.models.promote('m1', 'm2'), true);
  },

  'embeddings of a model are removed up to the limit, and those of other models stay': async (stores) => {
    const collections = await addFour(stores);
    for (const collection of collections) {
      for (const modelId of ['m1', 'm2']) await stores.embeddings.put(anEmbedding(collection, { modelId }));
    }
    const removals = [3, 3, 3].map(() => () => stores.models.removeEmbeddings('m1', 3));
    const counts: number[] = [];
    for (const remove of removals) counts.push(await remove());
    deepStrictEqual(counts, [3, 1, 0]);
    strictEqual((await stores.embeddings.changedSince(0, 'm1', 9)).length, 0);
    strictEqual((await stores.embeddings.changedSince(0, 'm2', 9)).length, 4);
  },

  'no embedding of the serving model is removed': async (stores) => {
    await stores.embeddings.put(anEmbedding(await addCollection(stores)));
    await stores.models.promote(null, 'm1');
    strictEqual(await stores.models.removeEmbeddings('m1', 9), 0);
    strictEqual((await stores.embeddings.changedSince(0, 'm1', 9)).length, 1);
  },

  'a model is removed unless it was announced since, is serving, or has embeddings': async (stores) => {
    const { models, embeddings } = stores;
    for (const modelId of ['again', 'serving', 'used', 'gone']) await models.announce(modelId, start);
    const { announced } = await models.state();
    await models.announce('again', start + 1);
    await models.promote(null, 'serving');
    await embeddings.put(anEmbedding(await addCollection(stores), { modelId: 'used' }));
    for (const each of announced) await models.remove(each);
    deepStrictEqual(
      (await models.state()).announced.map(({ modelId }) => modelId),
      ['again', 'serving', 'used'],
    );
  },
} satisfies Contract<Stores>;

const model = (modelId: string, firstSeenAt: number, lastSeenAt: number) => ({ modelId, firstSeenAt, lastSeenAt });

const addCollection = async ({ collections }: Stores): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, aContent(), noEffects);
  return collection;
};

const addFour = async (stores: Stores) =>
  [
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
  ] as const;

const changeText = ({ collections }: Stores, { id }: Collection) =>
  collections.update(id, (current) => ({
    collection: { ...current, name: 'New', revision: 2, contentRevision: 2 },
    ...noEffects,
  }));
