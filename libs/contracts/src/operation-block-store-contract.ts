import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aDocumentContent, aJob, anOperationBlock, jobEffectsOf, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `OperationBlockStore`. */
export const operationBlockStoreContract = {
  'a block is returned exactly as it was stored': async (stores) => {
    const collection = await addCollection(stores);
    const packed = Uint8Array.from({ length: 3000 }, (_, i) => i % 256);
    const block = anOperationBlock(collection, { packed, operations: 77 });
    strictEqual(await stores.operationBlocks.put(block), true);
    const [change] = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
    ok(change);
    const { sequence, ...rest } = change;
    deepStrictEqual({ ...rest, packed: [...rest.packed] }, { ...block, packed: [...packed] });
    ok(sequence > 0);
  },

  "a block replaces its collection's previous block and gets a higher sequence number": async (stores) => {
    const [firstCollection, otherCollection] = [await addCollection(stores), await addCollection(stores)];
    for (const collection of [firstCollection, otherCollection])
      await stores.operationBlocks.put(anOperationBlock(collection));
    const before = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
    await stores.operationBlocks.put(anOperationBlock(firstCollection, { packed: Uint8Array.of(9) }));
    const after = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
    deepStrictEqual(
      after.map(({ collectionId, packed }) => [collectionId, packed[0]]),
      [
        [otherCollection.id, 1],
        [firstCollection.id, 9],
      ],
    );
    ok((after.at(-1)?.sequence ?? 0) > (before.at(-1)?.sequence ?? 0));
  },

  'a block from a different model does not replace the existing one': async (stores) => {
    const collection = await addCollection(stores);
    await stores.operationBlocks.put(anOperationBlock(collection));
    await stores.operationBlocks.put(anOperationBlock(collection, { modelId: 'm2' }));
    for (const modelId of ['m1', 'm2']) deepStrictEqual(await listChangedIds(stores, 0, modelId, 9), [collection.id]);
    deepStrictEqual(await listChangedIds(stores, 0, 'm3', 9), []);
  },

  'the collections with data from a model are returned in batches, ordered by id': async (stores) => {
    const allCollections = await Promise.all(Array.from({ length: 5 }, () => addCollection(stores)));
    const [removedCollection, otherModelCollection, ...remainingCollections] = allCollections.toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    ) as [Collection, ...Collection[]];
    for (const collection of [removedCollection, ...remainingCollections].reverse())
      await stores.operationBlocks.put(anOperationBlock(collection));
    for (const collection of [removedCollection, otherModelCollection as Collection]) {
      await stores.operationBlocks.put(anOperationBlock(collection, { modelId: 'm2' }));
    }
    await stores.collections.remove(removedCollection.id, () => noEffects);
    const ids = remainingCollections.map(({ id }) => id);
    deepStrictEqual(await stores.operationBlocks.listCollectionsAfter(null, 'm1', 3), ids);
    deepStrictEqual(await stores.operationBlocks.listCollectionsAfter(null, 'm1', 2), ids.slice(0, 2));
    deepStrictEqual(await stores.operationBlocks.listCollectionsAfter(ids[1] ?? null, 'm1', 2), ids.slice(2));
    deepStrictEqual(await stores.operationBlocks.listCollectionsAfter(ids[2] ?? null, 'm1', 2), []);
  },

  'concurrent writes get distinct sequence numbers': async (stores) => {
    const collections = await Promise.all(Array.from({ length: 20 }, () => addCollection(stores)));
    await Promise.all(collections.map((collection) => stores.operationBlocks.put(anOperationBlock(collection))));
    const changes = await stores.operationBlocks.listChangedSince(0, 'm1', 99);
    strictEqual(new Set(changes.map(({ sequence }) => sequence)).size, 20);
  },

  'a sequence number is not reused after its collection is removed': async (stores) => {
    const [removedCollection, remainingCollection] = [await addCollection(stores), await addCollection(stores)];
    await stores.operationBlocks.put(anOperationBlock(removedCollection));
    const [change] = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
    ok(change);
    await stores.collections.remove(removedCollection.id, () => noEffects);
    await stores.operationBlocks.put(anOperationBlock(remainingCollection));
    deepStrictEqual(await listChangedIds(stores, change.sequence, 'm1', 9), [remainingCollection.id]);
  },

  'removing a collection removes its blocks': async (stores) => {
    const collection = await addCollection(stores);
    for (const modelId of ['m1', 'm2']) await stores.operationBlocks.put(anOperationBlock(collection, { modelId }));
    await stores.collections.remove(collection.id, () => noEffects);
    for (const modelId of ['m1', 'm2']) deepStrictEqual(await listChangedIds(stores, 0, modelId, 9), []);
  },

  'a block of a missing collection is not stored': async (stores) => {
    strictEqual(await stores.operationBlocks.put(anOperationBlock(aCollection())), false);
    deepStrictEqual(await listChangedIds(stores, 0, 'm1', 9), []);
  },

  'a block of a different document, or of an older or newer revision of the text, is not stored, and the existing one is kept':
    async (stores) => {
      const collection = await addCollection(stores, { contentRevision: 2 });
      await stores.operationBlocks.put(anOperationBlock(collection));
      for (const staleFields of [{ contentRevision: 1 }, { contentRevision: 3 }, { documentDigest: 'ab'.repeat(32) }]) {
        strictEqual(
          await stores.operationBlocks.put(anOperationBlock(collection, { ...staleFields, packed: Uint8Array.of(9) })),
          false,
        );
      }
      const changes = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
      deepStrictEqual(
        changes.map(({ packed }) => packed[0]),
        [1],
      );
    },

  'changing the bytes that were passed or returned does not change the stored block': async (stores) => {
    const block = anOperationBlock(await addCollection(stores));
    await stores.operationBlocks.put(block);
    block.packed.fill(7);
    (await stores.operationBlocks.listChangedSince(0, 'm1', 9))[0]?.packed.fill(8);
    strictEqual((await stores.operationBlocks.listChangedSince(0, 'm1', 9))[0]?.packed[0], 1);
  },

  'changes after a given sequence number are returned in order, up to the limit': async (stores) => {
    const collections = [
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
    ];
    const order = [2, 0, 3, 1].map((index) => collections[index]).filter((collection) => collection !== undefined);
    for (const collection of order) await stores.operationBlocks.put(anOperationBlock(collection));
    const ids = order.map(({ id }) => id);
    const changes = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
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

  'a collection is outdated if it has no block from the model, or only one of an older revision': async (stores) => {
    const { unindexedCollection, otherModelCollection, renamedCollection, replacedCollection, currentCollection } =
      await addCollectionInEachState(stores);
    deepStrictEqual(
      [...(await stores.operationBlocks.listOutdated('m1'))].sort(),
      [unindexedCollection.id, otherModelCollection.id, renamedCollection.id, replacedCollection.id].sort(),
    );
    deepStrictEqual(
      [...(await stores.operationBlocks.listOutdated('m2'))].sort(),
      [unindexedCollection.id, renamedCollection.id, replacedCollection.id, currentCollection.id].sort(),
    );
  },

  'the progress counts all collections, and those with an up-to-date block': async (stores) => {
    deepStrictEqual(await stores.operationBlocks.readProgress('m1'), { total: 0, done: 0, failed: 0 });
    await addCollectionInEachState(stores);
    deepStrictEqual(await stores.operationBlocks.readProgress('m1'), { total: 5, done: 1, failed: 0 });
    deepStrictEqual(await stores.operationBlocks.readProgress('m3'), { total: 5, done: 0, failed: 0 });
  },

  'a collection whose job is a dead letter counts as failed, unless its block is up to date': async (stores) => {
    const { unindexedCollection, otherModelCollection, currentCollection, renamedCollection } =
      await addCollectionInEachState(stores);
    await deadLetterJob(stores, unindexedCollection, 'operations');
    await deadLetterJob(stores, currentCollection, 'operations');
    // Neither a job of a different kind nor a job that may still succeed counts as failed.
    await deadLetterJob(stores, otherModelCollection, 'embed');
    await stores.embeddingJobs.enqueue(
      jobEffectsOf(aJob({ task: { kind: 'operations', collectionId: renamedCollection.id } })),
    );
    deepStrictEqual(await stores.operationBlocks.readProgress('m1'), { total: 5, done: 1, failed: 1 });
  },

  'blocks from other models are removed up to the limit, and those from this model are kept': async (stores) => {
    const collections = [await addCollection(stores), await addCollection(stores), await addCollection(stores)];
    for (const collection of collections) {
      for (const modelId of ['m1', 'm2', 'm3'])
        await stores.operationBlocks.put(anOperationBlock(collection, { modelId }));
    }
    strictEqual(await stores.operationBlocks.removeOthers('m2', 4), 4);
    strictEqual(await stores.operationBlocks.removeOthers('m2', 4), 2);
    strictEqual(await stores.operationBlocks.removeOthers('m2', 4), 0);
    strictEqual((await listChangedIds(stores, 0, 'm2', 9)).length, 3);
    for (const modelId of ['m1', 'm3']) deepStrictEqual(await listChangedIds(stores, 0, modelId, 9), []);
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
 * Adds five collections: one without a block, one whose block is from the model `m2`, one whose block is up to date, and
 * two whose block is older than their current name or document.
 */
const addCollectionInEachState = async (stores: Stores) => {
  const [unindexedCollection, otherModelCollection, currentCollection] = [
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
  ];
  const [renamedCollection, replacedCollection] = [await addCollection(stores), await addCollection(stores)];
  await stores.operationBlocks.put(anOperationBlock(otherModelCollection, { modelId: 'm2' }));
  for (const collection of [currentCollection, renamedCollection, replacedCollection])
    await stores.operationBlocks.put(anOperationBlock(collection));
  await updateCollection(stores, renamedCollection, { contentRevision: 2, name: 'New' });
  await stores.collections.update(replacedCollection.id, (current) => ({
    collection: { ...current, documentDigest: 'ab'.repeat(32) },
    document: aDocumentContent('{}'),
    ...noEffects,
  }));
  // This changes neither the text nor the document.
  await updateCollection(stores, currentCollection, { revision: 2, baseUrl: '/' });
  return { unindexedCollection, otherModelCollection, currentCollection, renamedCollection, replacedCollection };
};

const deadLetterJob = async (stores: Stores, { id }: Collection, kind: 'embed' | 'operations'): Promise<void> => {
  const job = aJob({ task: { kind, collectionId: id } });
  await stores.embeddingJobs.enqueue(jobEffectsOf(job));
  await stores.outbox.deadLetter(job.id, start, 'no use');
};

const listChangedIds = async (
  { operationBlocks }: Stores,
  after: number,
  modelId: string,
  limit: number,
): Promise<readonly CollectionId[]> =>
  (await operationBlocks.listChangedSince(after, modelId, limit)).map(({ collectionId }) => collectionId);
