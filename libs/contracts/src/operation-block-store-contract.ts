import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aContent, aJob, anOperationBlock, jobsOnly, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `OperationBlockStore`. */
export const operationBlockStoreContract = {
  'a block is returned exactly as it was put': async (stores) => {
    const collection = await addCollection(stores);
    const packed = Uint8Array.from({ length: 3000 }, (_, i) => i % 256);
    const block = anOperationBlock(collection, { packed, operations: 77 });
    strictEqual(await stores.operationBlocks.put(block), true);
    const [change] = await stores.operationBlocks.changedSince(0, 'm1', 9);
    ok(change);
    const { sequence, ...rest } = change;
    deepStrictEqual({ ...rest, packed: [...rest.packed] }, { ...block, packed: [...packed] });
    ok(sequence > 0);
  },

  'a block replaces the earlier one of its collection, with a later sequence': async (stores) => {
    const [one, other] = [await addCollection(stores), await addCollection(stores)];
    for (const collection of [one, other]) await stores.operationBlocks.put(anOperationBlock(collection));
    const before = await stores.operationBlocks.changedSince(0, 'm1', 9);
    await stores.operationBlocks.put(anOperationBlock(one, { packed: Uint8Array.of(9) }));
    const after = await stores.operationBlocks.changedSince(0, 'm1', 9);
    deepStrictEqual(
      after.map(({ collectionId, packed }) => [collectionId, packed[0]]),
      [
        [other.id, 1],
        [one.id, 9],
      ],
    );
    ok((after.at(-1)?.sequence ?? 0) > (before.at(-1)?.sequence ?? 0));
  },

  'a block by another model does not replace the earlier one': async (stores) => {
    const collection = await addCollection(stores);
    await stores.operationBlocks.put(anOperationBlock(collection));
    await stores.operationBlocks.put(anOperationBlock(collection, { modelId: 'm2' }));
    for (const modelId of ['m1', 'm2']) deepStrictEqual(await changedIds(stores, 0, modelId, 9), [collection.id]);
    deepStrictEqual(await changedIds(stores, 0, 'm3', 9), []);
  },

  'the collections of a model are returned by id, in batches': async (stores) => {
    const all = await Promise.all(Array.from({ length: 5 }, () => addCollection(stores)));
    const [removed, foreign, ...remaining] = all.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [
      Collection,
      ...Collection[],
    ];
    for (const collection of [removed, ...remaining].reverse())
      await stores.operationBlocks.put(anOperationBlock(collection));
    for (const collection of [removed, foreign as Collection]) {
      await stores.operationBlocks.put(anOperationBlock(collection, { modelId: 'm2' }));
    }
    await stores.collections.remove(removed.id, () => noEffects);
    const ids = remaining.map(({ id }) => id);
    deepStrictEqual(await stores.operationBlocks.collectionsAfter(null, 'm1', 3), ids);
    deepStrictEqual(await stores.operationBlocks.collectionsAfter(null, 'm1', 2), ids.slice(0, 2));
    deepStrictEqual(await stores.operationBlocks.collectionsAfter(ids[1] ?? null, 'm1', 2), ids.slice(2));
    deepStrictEqual(await stores.operationBlocks.collectionsAfter(ids[2] ?? null, 'm1', 2), []);
  },

  'concurrent puts get different sequences': async (stores) => {
    const collections = await Promise.all(Array.from({ length: 20 }, () => addCollection(stores)));
    await Promise.all(collections.map((collection) => stores.operationBlocks.put(anOperationBlock(collection))));
    const changes = await stores.operationBlocks.changedSince(0, 'm1', 99);
    strictEqual(new Set(changes.map(({ sequence }) => sequence)).size, 20);
  },

  'a sequence is not reused after a removal': async (stores) => {
    const [removed, remaining] = [await addCollection(stores), await addCollection(stores)];
    await stores.operationBlocks.put(anOperationBlock(removed));
    const [change] = await stores.operationBlocks.changedSince(0, 'm1', 9);
    ok(change);
    await stores.collections.remove(removed.id, () => noEffects);
    await stores.operationBlocks.put(anOperationBlock(remaining));
    deepStrictEqual(await changedIds(stores, change.sequence, 'm1', 9), [remaining.id]);
  },

  'the blocks of a collection are removed with it': async (stores) => {
    const collection = await addCollection(stores);
    for (const modelId of ['m1', 'm2']) await stores.operationBlocks.put(anOperationBlock(collection, { modelId }));
    await stores.collections.remove(collection.id, () => noEffects);
    for (const modelId of ['m1', 'm2']) deepStrictEqual(await changedIds(stores, 0, modelId, 9), []);
  },

  'a block of a missing collection is not stored': async (stores) => {
    strictEqual(await stores.operationBlocks.put(anOperationBlock(aCollection())), false);
    deepStrictEqual(await changedIds(stores, 0, 'm1', 9), []);
  },

  'a block of another document, or of an older or newer text, is not stored, and the earlier one stays': async (
    stores,
  ) => {
    const collection = await addCollection(stores, { contentRevision: 2 });
    await stores.operationBlocks.put(anOperationBlock(collection));
    for (const facts of [{ contentRevision: 1 }, { contentRevision: 3 }, { documentDigest: 'ab'.repeat(32) }]) {
      strictEqual(
        await stores.operationBlocks.put(anOperationBlock(collection, { ...facts, packed: Uint8Array.of(9) })),
        false,
      );
    }
    const changes = await stores.operationBlocks.changedSince(0, 'm1', 9);
    deepStrictEqual(
      changes.map(({ packed }) => packed[0]),
      [1],
    );
  },

  'changing the bytes passed or returned does not change a stored block': async (stores) => {
    const block = anOperationBlock(await addCollection(stores));
    await stores.operationBlocks.put(block);
    block.packed.fill(7);
    (await stores.operationBlocks.changedSince(0, 'm1', 9))[0]?.packed.fill(8);
    strictEqual((await stores.operationBlocks.changedSince(0, 'm1', 9))[0]?.packed[0], 1);
  },

  'changes after a sequence are returned in order, up to the limit': async (stores) => {
    const collections = [
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
      await addCollection(stores),
    ];
    const order = [2, 0, 3, 1].map((index) => collections[index]).filter((collection) => collection !== undefined);
    for (const collection of order) await stores.operationBlocks.put(anOperationBlock(collection));
    const ids = order.map(({ id }) => id);
    const all = await stores.operationBlocks.changedSince(0, 'm1', 9);
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

  'a collection is outdated while its block by the model is missing or made from an earlier state': async (stores) => {
    const { missing, foreign, renamed, replaced, good: upToDate } = await addFiveStates(stores);
    deepStrictEqual(
      [...(await stores.operationBlocks.outdated('m1'))].sort(),
      [missing.id, foreign.id, renamed.id, replaced.id].sort(),
    );
    deepStrictEqual(
      [...(await stores.operationBlocks.outdated('m2'))].sort(),
      [missing.id, renamed.id, replaced.id, upToDate.id].sort(),
    );
  },

  'progress counts all collections, and those whose block is up to date': async (stores) => {
    deepStrictEqual(await stores.operationBlocks.progress('m1'), { total: 0, done: 0, failed: 0 });
    await addFiveStates(stores);
    deepStrictEqual(await stores.operationBlocks.progress('m1'), { total: 5, done: 1, failed: 0 });
    deepStrictEqual(await stores.operationBlocks.progress('m3'), { total: 5, done: 0, failed: 0 });
  },

  'a collection whose job is a dead letter has failed, unless its block is up to date': async (stores) => {
    const { missing, foreign, good: upToDate, renamed } = await addFiveStates(stores);
    await deadLetterJob(stores, missing, 'operations');
    await deadLetterJob(stores, upToDate, 'operations');
    // Neither a job of a different kind nor a job that may still succeed counts as failed.
    await deadLetterJob(stores, foreign, 'embed');
    await stores.embeddingJobs.enqueue(jobsOnly(aJob({ task: { kind: 'operations', collectionId: renamed.id } })));
    deepStrictEqual(await stores.operationBlocks.progress('m1'), { total: 5, done: 1, failed: 1 });
  },

  'blocks of other models are removed up to the limit, and those of this model stay': async (stores) => {
    const collections = [await addCollection(stores), await addCollection(stores), await addCollection(stores)];
    for (const collection of collections) {
      for (const modelId of ['m1', 'm2', 'm3'])
        await stores.operationBlocks.put(anOperationBlock(collection, { modelId }));
    }
    strictEqual(await stores.operationBlocks.removeOthers('m2', 4), 4);
    strictEqual(await stores.operationBlocks.removeOthers('m2', 4), 2);
    strictEqual(await stores.operationBlocks.removeOthers('m2', 4), 0);
    strictEqual((await changedIds(stores, 0, 'm2', 9)).length, 3);
    for (const modelId of ['m1', 'm3']) deepStrictEqual(await changedIds(stores, 0, modelId, 9), []);
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
 * Adds five collections: one without a block, one whose block is by the model `m2`, one whose block is up to date, and
 * two whose block is older than their new name or new document.
 */
const addFiveStates = async (stores: Stores) => {
  const [missing, foreign, upToDate] = [
    await addCollection(stores),
    await addCollection(stores),
    await addCollection(stores),
  ];
  const [renamed, replaced] = [await addCollection(stores), await addCollection(stores)];
  await stores.operationBlocks.put(anOperationBlock(foreign, { modelId: 'm2' }));
  for (const collection of [upToDate, renamed, replaced])
    await stores.operationBlocks.put(anOperationBlock(collection));
  await updateCollection(stores, renamed, { contentRevision: 2, name: 'New' });
  await stores.collections.update(replaced.id, (current) => ({
    collection: { ...current, documentDigest: 'ab'.repeat(32) },
    document: aContent('{}'),
    ...noEffects,
  }));
  // This changes neither the text nor the document.
  await updateCollection(stores, upToDate, { revision: 2, baseUrl: '/' });
  return { missing, foreign, good: upToDate, renamed, replaced };
};

const deadLetterJob = async (stores: Stores, { id }: Collection, kind: 'embed' | 'operations'): Promise<void> => {
  const job = aJob({ task: { kind, collectionId: id } });
  await stores.embeddingJobs.enqueue(jobsOnly(job));
  await stores.outbox.deadLetter(job.id, start, 'no use');
};

const changedIds = async (
  { operationBlocks }: Stores,
  after: number,
  modelId: string,
  limit: number,
): Promise<readonly CollectionId[]> =>
  (await operationBlocks.changedSince(after, modelId, limit)).map(({ collectionId }) => collectionId);
