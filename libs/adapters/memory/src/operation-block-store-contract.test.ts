import { operationBlockStoreContract } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { breachesOf, saveEntries, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKey, type MemoryDatabase } from './memory-database.ts';

const { changedSince, collectionsAfter, outdated, progress, put, removeOthers } = breachesOf('operationBlocks');
const { remove } = breachesOf('collections');

/** Lists all collections as outdated except those for which the callback returns true. */
const outdatedUnless = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  outdated.replaceWith(async ([modelId], _original, database) =>
    [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  );

proveStores('the memory operation block store', operationBlockStoreContract, {
  'a block is returned exactly as it was put': changedSince.mapResult((changes) =>
    changes.map((change) => ({ ...change, packed: change.packed.map((byte) => byte & 127) })),
  ),
  'a block replaces the earlier one of its collection, with a later sequence': put.restoreAfter(
    ({ operationBlocks }, [{ collectionId, modelId }]) => {
      const key = embeddingKey(collectionId, modelId);
      return saveEntry(operationBlocks, key, (after, { sequence }) => ({ ...after, sequence }));
    },
  ),
  'a block by another model does not replace the earlier one': put.runAfter(({ operationBlocks }) => {
    for (const key of [...operationBlocks.keys()].slice(0, -1)) operationBlocks.delete(key);
  }),
  'the collections of a model are returned by id, in batches': collectionsAfter.mapResult((ids) => ids.toReversed()),
  'concurrent puts get different sequences': put.runOnStaleState((database) => {
    const before = database.lastOperationSequence;
    return () => (database.lastOperationSequence = before);
  }),
  'a sequence is not reused after a removal': put.runBefore((database) => {
    const sequences = [...database.operationBlocks.values()].map(({ sequence }) => sequence);
    database.lastOperationSequence = Math.max(0, ...sequences);
  }),
  'the blocks of a collection are removed with it': remove.restoreAfter(({ operationBlocks }) =>
    saveEntries(operationBlocks),
  ),
  'a block of a missing collection is not stored': put.replaceWith(async ([block], original, database) => {
    if (await original.put(block)) return true;
    database.operationBlocks.set('any', { block, sequence: 1 });
    return false;
  }),
  'a block of another document, or of an older or newer text, is not stored, and the earlier one stays':
    put.replaceWith(async ([block], original, { collections }) => {
      const { documentDigest = block.documentDigest } = collections.get(block.collectionId) ?? {};
      return original.put({ ...block, documentDigest });
    }),
  'changing the bytes passed or returned does not change a stored block': changedSince.mapResult(
    (changes, _args, { operationBlocks }) =>
      changes.map((change) => ({
        ...change,
        packed: operationBlocks.get(embeddingKey(change.collectionId, 'm1'))?.block.packed ?? change.packed,
      })),
  ),
  'changes after a sequence are returned in order, up to the limit': changedSince.replaceWith(
    async ([after, modelId, limit], original) =>
      (await original.changedSince(after, modelId, 99))
        .toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1))
        .slice(0, limit),
  ),
  'a collection is outdated while its block by the model is missing or made from an earlier state': outdatedUnless(
    ({ operationBlocks, collections }, id, modelId) =>
      operationBlocks.get(embeddingKey(id, modelId))?.block.contentRevision === collections.get(id)?.contentRevision,
  ),
  'progress counts all collections, and those whose block is up to date': progress.mapResult(
    (progress, _args, { operationBlocks }) => ({ ...progress, done: operationBlocks.size }),
  ),
  'a collection whose job is a dead letter has failed, unless its block is up to date': progress.mapResult(
    (progress) => ({ ...progress, failed: progress.total - progress.done }),
  ),
  'blocks of other models are removed up to the limit, and those of this model stay': removeOthers.runAfter(
    ({ operationBlocks }, [, limit], removed) => removed < limit && operationBlocks.clear(),
  ),
});
