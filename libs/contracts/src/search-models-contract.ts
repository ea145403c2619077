import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection } from '@portico/domain';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocumentContent,
  aJob,
  anEmbedding,
  anOperationBlock,
  aProfile,
  jobEffectsOf,
  noEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `SearchModels`. */
export const searchModelsContract = {
  'a new database has no models, and searches use none': async (stores) => {
    const { serving, announcedModels } = await stores.models.readState();
    deepStrictEqual({ serving, announcedModels }, { serving: null, announcedModels: [] });
  },

  'an announced model is recorded with the times of its first and last announcement': async ({ models }) => {
    await models.announce('m1', start);
    await models.announce('m1', start + 5);
    deepStrictEqual((await models.readState()).announcedModels, [createModel('m1', start, start + 5)]);
  },

  'a clock that is behind does not move the last announcement back or sort a new model before an earlier one': async ({
    models,
  }) => {
    await models.announce('m1', start);
    await models.announce('m1', start - 5);
    await models.announce('m2', start - 5);
    deepStrictEqual((await models.readState()).announcedModels, [
      createModel('m1', start, start),
      createModel('m2', start + 1, start - 5),
    ]);
  },

  'models are listed in the order of their first announcement': async ({ models }) => {
    for (const [index, modelId] of ['m3', 'm1', 'm2', 'm3'].entries()) await models.announce(modelId, start + index);
    deepStrictEqual(
      (await models.readState()).announcedModels.map(({ modelId }) => modelId),
      ['m3', 'm1', 'm2'],
    );
  },

  'the state contains the epochs of the catalog, of embeddings and of operations': async (stores) => {
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const collection = await addCollection(stores);
    await stores.embeddings.put(anEmbedding(collection));
    await stores.embeddings.put(anEmbedding(collection));
    await stores.operationBlocks.put(anOperationBlock(collection));
    const { catalog, embeddings, operations } = (await stores.callers.findByEitherId(profile.id, start))?.epochs ?? {};
    ok(catalog && embeddings && operations && catalog !== embeddings);
    deepStrictEqual((await stores.models.readState()).epochs, { catalog, embeddings, operations });
  },

  'the progress counts the collections with a vector from the serving model, and those that also have one from the next model':
    async (stores) => {
      deepStrictEqual(await stores.models.readProgress('m1', 'm2'), { total: 0, done: 0, failed: 0 });
      const [doneCollection, waitingCollection, newCollection, nextModelCollection] = await addCollections(stores);
      for (const collection of [doneCollection, waitingCollection])
        await stores.embeddings.put(anEmbedding(collection));
      for (const collection of [doneCollection, nextModelCollection])
        await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
      ok(newCollection);
      deepStrictEqual(await stores.models.readProgress('m1', 'm2'), { total: 2, done: 1, failed: 0 });
    },

  'a vector from the next model does not count if it is of an older revision of the text than the one from the serving model':
    async (stores) => {
      const [olderCollection, newerCollection] = await addCollections(stores);
      for (const collection of [olderCollection, newerCollection]) {
        await stores.embeddings.put(anEmbedding(collection, { modelId: collection === olderCollection ? 'm2' : 'm1' }));
        await changeText(stores, collection);
        const modelId = collection === olderCollection ? 'm1' : 'm2';
        await stores.embeddings.put(anEmbedding(collection, { modelId, contentRevision: 2 }));
      }
      deepStrictEqual(await stores.models.readProgress('m1', 'm2'), { total: 2, done: 1, failed: 0 });
    },

  'a collection whose job is a dead letter counts as failed, unless it has a vector from the next model': async (
    stores,
  ) => {
    const [failedCollection, doneCollection, waitingCollection] = await addCollections(stores);
    for (const collection of [failedCollection, doneCollection, waitingCollection])
      await stores.embeddings.put(anEmbedding(collection));
    await stores.embeddings.put(anEmbedding(doneCollection, { modelId: 'm2' }));
    for (const { id } of [failedCollection, doneCollection]) {
      const job = aJob({ task: { kind: 'embed', collectionId: id } });
      await stores.embeddingJobs.enqueue(jobEffectsOf(job));
      await stores.outbox.deadLetter(job.id, start, 'no use');
    }
    await stores.embeddingJobs.enqueue(
      jobEffectsOf(aJob({ task: { kind: 'embed', collectionId: waitingCollection.id } })),
    );
    deepStrictEqual(await stores.models.readProgress('m1', 'm2'), { total: 3, done: 1, failed: 1 });
  },

  'searches use the first model immediately': async ({ models }) => {
    strictEqual(await models.promote(null, 'm1'), true);
    strictEqual((await models.readState()).serving, 'm1');
  },

  'when several models replace the same model, only the first promotion succeeds': async ({ models }) => {
    await models.promote(null, 'm1');
    deepStrictEqual(await Promise.all([models.promote(null, 'm2'), models.promote('m2', 'm3')]), [false, false]);
    strictEqual((await models.readState()).serving, 'm1');
    deepStrictEqual(await Promise.all(['m2', 'm3'].map((modelId) => models.promote('m1', modelId))), [true, false]);
    strictEqual((await models.readState()).serving, 'm2');
  },

  'searches do not switch models while a collection would no longer be found': async (stores) => {
    const collection = await addCollection(stores);
    await stores.models.promote(null, 'm1');
    await stores.embeddings.put(anEmbedding(collection));
    strictEqual(await stores.models.promote('m1', 'm2'), false);
    strictEqual((await stores.models.readState()).serving, 'm1');
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
    strictEqual(await stores.models.promote('m1', 'm2'), true);
    strictEqual((await stores.models.readState()).serving, 'm2');
  },

  'a collection without a vector or with a dead letter does not prevent a switch': async (stores) => {
    const failedCollection = await addCollection(stores);
    await stores.models.promote(null, 'm1');
    await stores.embeddings.put(anEmbedding(failedCollection));
    const job = aJob({ task: { kind: 'embed', collectionId: failedCollection.id } });
    await stores.embeddingJobs.enqueue(jobEffectsOf(job));
    strictEqual(await stores.models.promote('m1', 'm2'), false);
    await stores.outbox.deadLetter(job.id, start, 'no use');
    await addCollection(stores);
    strictEqual(await stores.models.promote('m1', 'm2'), true);
  },

  'embeddings from a model are removed up to the limit, and those from other models are kept': async (stores) => {
    const collections = await addCollections(stores);
    for (const collection of collections) {
      for (const modelId of ['m1', 'm2']) await stores.embeddings.put(anEmbedding(collection, { modelId }));
    }
    const removals = [3, 3, 3].map(() => () => stores.models.removeEmbeddings('m1', 3));
    const counts: number[] = [];
    for (const remove of removals) counts.push(await remove());
    deepStrictEqual(counts, [3, 1, 0]);
    strictEqual((await stores.embeddings.listChangedSince(0, 'm1', 9)).length, 0);
    strictEqual((await stores.embeddings.listChangedSince(0, 'm2', 9)).length, 4);
  },

  'embeddings from the serving model are not removed': async (stores) => {
    await stores.embeddings.put(anEmbedding(await addCollection(stores)));
    await stores.models.promote(null, 'm1');
    strictEqual(await stores.models.removeEmbeddings('m1', 9), 0);
    strictEqual((await stores.embeddings.listChangedSince(0, 'm1', 9)).length, 1);
  },

  'a model is removed unless it has been announced since then, is serving or has embeddings': async (stores) => {
    const { models, embeddings } = stores;
    for (const modelId of ['again', 'serving', 'used', 'gone']) await models.announce(modelId, start);
    const { announcedModels } = await models.readState();
    await models.announce('again', start + 1);
    await models.promote(null, 'serving');
    await embeddings.put(anEmbedding(await addCollection(stores), { modelId: 'used' }));
    for (const announcedModel of announcedModels) await models.remove(announcedModel);
    deepStrictEqual(
      (await models.readState()).announcedModels.map(({ modelId }) => modelId),
      ['again', 'serving', 'used'],
    );
  },
} satisfies Contract<Stores>;

const createModel = (modelId: string, firstSeenAt: number, lastSeenAt: number) => ({
  modelId,
  firstSeenAt,
  lastSeenAt,
});

const addCollection = async ({ collections }: Stores): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const addCollections = async (stores: Stores) =>
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
