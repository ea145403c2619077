import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aDocumentContent, anEmbedding, noEffects } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `EmbeddingStore`. */
export const embeddingStoreContract = {
  'an embedding is returned exactly as it was stored': async (stores) => {
    const collection = await addCollection(stores);
    const vector = Float32Array.from({ length: 768 }, (_, axis) => Math.sin(axis + 1) / 20);
    strictEqual(await stores.embeddings.put(anEmbedding(collection, { vector })), true);
    const [change] = await stores.embeddings.listChangedSince(0, 'm1', 9);
    strictEqual(change?.collectionId, collection.id);
    deepStrictEqual([...change.vector], [...vector]);
  },

  "an embedding replaces its collection's previous embedding and gets a higher sequence number": async (stores) => {
    const [firstCollection, otherCollection] = [await addCollection(stores), await addCollection(stores)];
    for (const collection of [firstCollection, otherCollection]) await stores.embeddings.put(anEmbedding(collection));
    const before = await stores.embeddings.listChangedSince(0, 'm1', 9);
    await stores.embeddings.put(anEmbedding(firstCollection, {}, 5));
    const after = await stores.embeddings.listChangedSince(0, 'm1', 9);
    deepStrictEqual(
      after.map(({ collectionId }) => collectionId),
      [otherCollection.id, firstCollection.id],
    );
    strictEqual(after.at(-1)?.vector[5], 1);
    ok((after.at(-1)?.sequence ?? 0) > (before.at(-1)?.sequence ?? 0));
  },

  'an embedding from a different model does not replace the existing one': async (stores) => {
    const collection = await addCollection(stores);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1' }, 1));
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }, 2));
    for (const [modelId, direction] of [
      ['m1', 1],
      ['m2', 2],
    ] as const) {
      const changes = await stores.embeddings.listChangedSince(0, modelId, 9);
      deepStrictEqual(
        changes.map(({ collectionId, vector }) => [collectionId, vector[direction]]),
        [[collection.id, 1]],
      );
    }
  },

  'the collections with data from a model are returned in batches, ordered by id': async (stores) => {
    const allCollections = await Promise.all(Array.from({ length: 5 }, () => addCollection(stores)));
    const [removedCollection, otherModelCollection, ...remainingCollections] = allCollections.toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    ) as [Collection, ...Collection[]];
    for (const collection of [removedCollection, ...remainingCollections].reverse())
      await stores.embeddings.put(anEmbedding(collection));
    for (const collection of [removedCollection, otherModelCollection as Collection]) {
      await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2' }));
    }
    await stores.collections.remove(removedCollection.id, () => noEffects);
    const ids = remainingCollections.map(({ id }) => id);
    deepStrictEqual(await stores.embeddings.listCollectionsAfter(null, 'm1', 3), ids);
    deepStrictEqual(await stores.embeddings.listCollectionsAfter(null, 'm1', 2), ids.slice(0, 2));
    deepStrictEqual(await stores.embeddings.listCollectionsAfter(ids[1] ?? null, 'm1', 2), ids.slice(2));
    deepStrictEqual(await stores.embeddings.listCollectionsAfter(ids[2] ?? null, 'm1', 2), []);
  },

  'concurrent writes get distinct sequence numbers': async (stores) => {
    const collections = await Promise.all(Array.from({ length: 20 }, () => addCollection(stores)));
    await Promise.all(collections.map((collection) => stores.embeddings.put(anEmbedding(collection))));
    const changes = await stores.embeddings.listChangedSince(0, 'm1', 99);
    strictEqual(new Set(changes.map(({ sequence }) => sequence)).size, 20);
  },

  'a sequence number is not reused after its collection is removed': async (stores) => {
    const [removedCollection, remainingCollection] = [await addCollection(stores), await addCollection(stores)];
    await stores.embeddings.put(anEmbedding(removedCollection));
    const [change] = await stores.embeddings.listChangedSince(0, 'm1', 9);
    ok(change);
    await stores.collections.remove(removedCollection.id, () => noEffects);
    await stores.embeddings.put(anEmbedding(remainingCollection));
    deepStrictEqual(await listChangedIds(stores, change.sequence, 'm1', 9), [remainingCollection.id]);
  },

  'an embedding of a missing collection is not stored': async (stores) => {
    strictEqual(await stores.embeddings.put(anEmbedding(aCollection())), false);
    deepStrictEqual(await stores.embeddings.listChangedSince(0, 'm1', 9), []);
  },

  'an embedding of an older or newer revision of the text is not stored, and the existing one is kept': async (
    stores,
  ) => {
    const collection = await addCollection(stores, { contentRevision: 2 });
    await stores.embeddings.put(anEmbedding(collection, {}, 3));
    for (const contentRevision of [1, 3]) {
      strictEqual(await stores.embeddings.put(anEmbedding(collection, { contentRevision }, 4)), false);
    }
    const changes = await stores.embeddings.listChangedSince(0, 'm1', 9);
    deepStrictEqual(
      changes.map(({ vector }) => vector[3]),
      [1],
    );
  },

  'changing a vector that was passed or returned does not change the stored vector': async (stores) => {
    const embedding = anEmbedding(await addCollection(stores));
    await stores.embeddings.put(embedding);
    embedding.vector.fill(7);
    (await stores.embeddings.listChangedSince(0, 'm1', 9))[0]?.vector.fill(8);
    strictEqual((await stores.embeddings.listChangedSince(0, 'm1', 9))[0]?.vector[0], 1);
  },

  'changes after a given sequence number are returned in order, up to the limit': async (stores) => {
    const collections = [
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
    ];
    const order = [2, 0, 3, 1].map((index) => collections[index]).filter((collection) => collection !== undefined);
    for (const collection of order) await stores.embeddings.put(anEmbedding(collection));
    const ids = order.map(({ id }) => id);
    const changes = await stores.embeddings.listChangedSince(0, 'm1', 9);
    deepStrictEqual(
      changes.map(({ collectionId }) => collectionId),
      ids,
    );
    const [first, second, , last] = changes;
    ok(first && second && last);
    deepStrictEqual(await listChangedIds(stores, first.sequence, 'm1', 9), ids.slice(1));
    deepStrictEqual(await listChangedIds(stores, second.sequence, 'm1', 1), ids.slice(2, 3));
    deepStrictEqual(await listChangedIds(stores, last.sequence, 'm1', 9), []);
  },

  'only changes for the requested model are returned': async (stores) => {
    const [firstCollection, otherCollection] = [await addCollection(stores), await addCollection(stores)];
    await stores.embeddings.put(anEmbedding(firstCollection, { modelId: 'm1' }));
    await stores.embeddings.put(anEmbedding(otherCollection, { modelId: 'm2' }));
    deepStrictEqual(await listChangedIds(stores, 0, 'm1', 9), [firstCollection.id]);
    deepStrictEqual(await listChangedIds(stores, 0, 'm2', 9), [otherCollection.id]);
  },

  'a collection is outdated if it has no embedding from the model, or only one of an older revision': async (
    stores,
  ) => {
    const [unembeddedCollection, otherModelCollection, outdatedCollection, currentCollection] =
      await addCollectionInEachState(stores);
    deepStrictEqual([...(await stores.embeddings.listOutdated('m1'))].sort(), [
      unembeddedCollection.id,
      otherModelCollection.id,
      outdatedCollection.id,
    ]);
    deepStrictEqual([...(await stores.embeddings.listOutdated('m2'))].sort(), [
      unembeddedCollection.id,
      outdatedCollection.id,
      currentCollection.id,
    ]);
  },

  'a change that does not affect the text does not make the embedding outdated': async (stores) => {
    const collection = await addCollection(stores);
    await stores.embeddings.put(anEmbedding(collection));
    await updateCollection(stores, collection, { revision: 2, baseUrl: '/' });
    deepStrictEqual(await stores.embeddings.listOutdated('m1'), []);
  },

  'only collections with an up-to-date embedding from the model count as embedded': async (stores) => {
    strictEqual(await stores.embeddings.countEmbedded('m1'), 0);
    await addCollectionInEachState(stores);
    strictEqual(await stores.embeddings.countEmbedded('m1'), 1);
    strictEqual(await stores.embeddings.countEmbedded('m3'), 0);
  },

  'the models of a collection are those with an up-to-date embedding': async (stores) => {
    const [collection, otherCollection] = [await addCollection(stores), await addCollection(stores)];
    deepStrictEqual(await stores.embeddings.listUpToDateModels(collection.id), []);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1' }));
    await stores.embeddings.put(anEmbedding(otherCollection, { modelId: 'm3' }));
    await updateCollection(stores, collection, { revision: 2, contentRevision: 2, name: 'New' });
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm2', contentRevision: 2 }));
    deepStrictEqual(await stores.embeddings.listUpToDateModels(collection.id), ['m2']);
    await stores.embeddings.put(anEmbedding(collection, { modelId: 'm1', contentRevision: 2 }));
    deepStrictEqual([...(await stores.embeddings.listUpToDateModels(collection.id))].sort(), ['m1', 'm2']);
    deepStrictEqual(await stores.embeddings.listUpToDateModels(otherCollection.id), ['m3']);
  },
} satisfies Contract<Stores>;

const addCollection = async ({ collections }: Stores, fields: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(fields);
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const updateCollection = ({ collections }: Stores, { id }: Collection, change: Partial<Collection>) =>
  collections.update(id, (current) => ({ collection: { ...current, ...change }, ...noEffects }));

/**
 * Adds four collections: one without an embedding, one whose embedding is from the model `m2`, one whose embedding is of
 * an older revision of the text, and one whose embedding is up to date.
 */
const addCollectionInEachState = async (stores: Stores) => {
  const collections = [
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
  ] as const;
  const [, otherModelCollection, outdatedCollection, currentCollection] = collections;
  await stores.embeddings.put(anEmbedding(otherModelCollection, { modelId: 'm2' }));
  for (const collection of [outdatedCollection, currentCollection])
    await stores.embeddings.put(anEmbedding(collection));
  await updateCollection(stores, outdatedCollection, { revision: 2, contentRevision: 2, name: 'New' });
  return collections;
};

const listChangedIds = async ({ embeddings }: Stores, after: number, modelId: string, limit: number) =>
  (await embeddings.listChangedSince(after, modelId, limit)).map(({ collectionId }) => collectionId);
