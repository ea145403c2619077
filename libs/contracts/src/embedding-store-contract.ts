import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aContent, anEmbedding, noEffects } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `EmbeddingStore`. */
export const embeddingStoreContract = {
  'an embedding is returned exactly as it was put': async (stores) => {
    const collection = await addCollection(stores);
    const vector = Float32Array.from({ length: 768 }, (_, axis) => Math.sin(axis + 1) / 20);
    strictEqual(await stores.embeddings.put(anEmbedding(collection, { vector })), true);
    const [change] = await stores.embeddings.changedSince(0, 'm1', 9);
    strictEqual(change?.collectionId, collection.id);
    deepStrictEqual([...change.vector], [...vector]);
  },

  'an embedding replaces the earlier one of its collection, with a later sequence': async (stores) => {
    const [one, other] = [await addCollection(stores), await addCollection(stores)];
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

  'an embedding by another model does not replace the earlier one': async (stores) => {
    const collection = await addCollection(stores);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1' }, 1));
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }, 2));
    for (const [modelId, direction] of [
      ['m1', 1],
      ['m2', 2],
    ] as const) {
      const changes = await stores.embeddings.changedSince(0, modelId, 9);
      deepStrictEqual(
        changes.map(({ collectionId, vector }) => [collectionId, vector[direction]]),
        [[collection.id, 1]],
      );
    }
  },

  'the collections of a model are returned by id, in batches': async (stores) => {
    const all = await Promise.all(Array.from({ length: 5 }, () => addCollection(stores)));
    const [removed, foreign, ...remaining] = all.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [
      Collection,
      ...Collection[],
    ];
    for (const collection of [removed, ...remaining].reverse()) await stores.embeddings.put(anEmbedding(collection));
    for (const collection of [removed, foreign as Collection]) {
      await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
    }
    await stores.collections.remove(removed.id, () => noEffects);
    const ids = remaining.map(({ id }) => id);
    deepStrictEqual(await stores.embeddings.collectionsAfter(null, 'm1', 3), ids);
    deepStrictEqual(await stores.embeddings.collectionsAfter(null, 'm1', 2), ids.slice(0, 2));
    deepStrictEqual(await stores.embeddings.collectionsAfter(ids[1] ?? null, 'm1', 2), ids.slice(2));
    deepStrictEqual(await stores.embeddings.collectionsAfter(ids[2] ?? null, 'm1', 2), []);
  },

  'concurrent puts get different sequences': async (stores) => {
    const collections = await Promise.all(Array.from({ length: 20 }, () => addCollection(stores)));
    await Promise.all(collections.map((collection) => stores.embeddings.put(anEmbedding(collection))));
    const changes = await stores.embeddings.changedSince(0, 'm1', 99);
    strictEqual(new Set(changes.map(({ sequence }) => sequence)).size, 20);
  },

  'a sequence is not reused after a removal': async (stores) => {
    const [removed, remaining] = [await addCollection(stores), await addCollection(stores)];
    await stores.embeddings.put(anEmbedding(removed));
    const [change] = await stores.embeddings.changedSince(0, 'm1', 9);
    ok(change);
    await stores.collections.remove(removed.id, () => noEffects);
    await stores.embeddings.put(anEmbedding(remaining));
    deepStrictEqual(await changedIds(stores, change.sequence, 'm1', 9), [remaining.id]);
  },

  'an embedding of a missing collection is not stored': async (stores) => {
    strictEqual(await stores.embeddings.put(anEmbedding(aCollection())), false);
    deepStrictEqual(await stores.embeddings.changedSince(0, 'm1', 9), []);
  },

  'an embedding of an older or newer text is not stored, and the earlier one stays': async (stores) => {
    const collection = await addCollection(stores, { contentRevision: 2 });
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

  'changing the numbers passed or returned does not change a stored vector': async (stores) => {
    const embedding = anEmbedding(await addCollection(stores));
    await stores.embeddings.put(embedding);
    embedding.vector.fill(7);
    (await stores.embeddings.changedSince(0, 'm1', 9))[0]?.vector.fill(8);
    strictEqual((await stores.embeddings.changedSince(0, 'm1', 9))[0]?.vector[0], 1);
  },

  'changes after a sequence are returned in order, up to the limit': async (stores) => {
    const collections = [
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
    ];
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

  'changes are those of the requested model': async (stores) => {
    const [one, other] = [await addCollection(stores), await addCollection(stores)];
    await stores.embeddings.put(anEmbedding(one, { modelId: 'm1' }));
    await stores.embeddings.put(anEmbedding(other, { modelId: 'm2' }));
    deepStrictEqual(await changedIds(stores, 0, 'm1', 9), [one.id]);
    deepStrictEqual(await changedIds(stores, 0, 'm2', 9), [other.id]);
  },

  'a collection is outdated while its embedding by the model is missing or made from an older text': async (stores) => {
    const [missing, foreign, older, upToDate] = await fourStates(stores);
    deepStrictEqual([...(await stores.embeddings.outdated('m1'))].sort(), [missing.id, foreign.id, older.id]);
    deepStrictEqual([...(await stores.embeddings.outdated('m2'))].sort(), [missing.id, older.id, upToDate.id]);
  },

  'the embedding stays up to date after a change that does not affect the text': async (stores) => {
    const collection = await addCollection(stores);
    await stores.embeddings.put(anEmbedding(collection));
    await updateCollection(stores, collection, { revision: 2, baseUrl: '/' });
    deepStrictEqual(await stores.embeddings.outdated('m1'), []);
  },

  'only up-to-date embeddings of the model count as embedded': async (stores) => {
    strictEqual(await stores.embeddings.embedded('m1'), 0);
    await fourStates(stores);
    strictEqual(await stores.embeddings.embedded('m1'), 1);
    strictEqual(await stores.embeddings.embedded('m3'), 0);
  },

  'the models of a collection are those whose embedding is up to date': async (stores) => {
    const [collection, other] = [await addCollection(stores), await addCollection(stores)];
    deepStrictEqual(await stores.embeddings.upToDate(collection.id), []);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1' }));
    await stores.embeddings.put(anEmbedding(other, { modelId: 'm3' }));
    await updateCollection(stores, collection, { revision: 2, contentRevision: 2, name: 'New' });
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2', contentRevision: 2 }));
    deepStrictEqual(await stores.embeddings.upToDate(collection.id), ['m2']);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1', contentRevision: 2 }));
    deepStrictEqual([...(await stores.embeddings.upToDate(collection.id))].sort(), ['m1', 'm2']);
    deepStrictEqual(await stores.embeddings.upToDate(other.id), ['m3']);
  },
} satisfies Contract<Stores>;

const addCollection = async ({ collections }: Stores, facts: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(facts);
  await collections.add(collection, aContent(), noEffects);
  return collection;
};

const updateCollection = ({ collections }: Stores, { id }: Collection, change: Partial<Collection>) =>
  collections.update(id, (current) => ({ collection: { ...current, ...change }, ...noEffects }));

/**
 * Adds four collections: one without an embedding, one whose embedding is by the model `m2`, one whose embedding is of
 * an older text, and one whose embedding is up to date.
 */
const fourStates = async (stores: Stores) => {
  const states = [
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
  ] as const;
  const [, foreign, older, upToDate] = states;
  await stores.embeddings.put(anEmbedding(foreign, { modelId: 'm2' }));
  for (const collection of [older, upToDate]) await stores.embeddings.put(anEmbedding(collection));
  await updateCollection(stores, older, { revision: 2, contentRevision: 2, name: 'New' });
  return states;
};

const changedIds = async ({ embeddings }: Stores, after: number, modelId: string, limit: number) =>
  (await embeddings.changedSince(after, modelId, limit)).map(({ collectionId }) => collectionId);
