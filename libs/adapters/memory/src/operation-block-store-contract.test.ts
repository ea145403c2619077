import { operationBlockStoreContract } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { breachesOf, restoring, restoringPart } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKey, type MemoryDatabase } from './memory-database.ts';

const { changedSince, collectionsAfter, outdated, progress, put, removeOthers } = breachesOf('operationBlocks');
const { remove } = breachesOf('collections');

/** Outdated by a wrong criterion. */
const misjudging = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  outdated.instead(async ([modelId], _right, database) =>
    [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  );

proveStores('the memory operation block store', operationBlockStoreContract, {
  'a block is returned exactly as it was put': changedSince.returning((changes) =>
    changes.map((change) => ({ ...change, packed: change.packed.map((byte) => byte & 127) })),
  ),
  'a block replaces the earlier one of its collection, with a later sequence': put.leaving(
    ({ operationBlocks }, [{ collectionId, modelId }]) => {
      const key = embeddingKey(collectionId, modelId);
      return restoringPart(operationBlocks, key, (after, { sequence }) => ({ ...after, sequence }));
    },
  ),
  'a block by another model stands beside the earlier one': put.followed(({ operationBlocks }) => {
    for (const key of [...operationBlocks.keys()].slice(0, -1)) operationBlocks.delete(key);
  }),
  'the collections of a model come by id, a portion at a time': collectionsAfter.returning((ids) => ids.toReversed()),
  'concurrent puts get different sequences': put.racing((database) => {
    const before = database.lastOperationSequence;
    return () => (database.lastOperationSequence = before);
  }),
  'a sequence is not reused after a removal': put.preceded((database) => {
    const sequences = [...database.operationBlocks.values()].map(({ sequence }) => sequence);
    database.lastOperationSequence = Math.max(0, ...sequences);
  }),
  'a removed collection takes its blocks with it': remove.leaving(({ operationBlocks }) => restoring(operationBlocks)),
  'a block of a missing collection is not stored': put.instead(async ([block], right, database) => {
    if (await right.put(block)) return true;
    database.operationBlocks.set('any', { block, sequence: 1 });
    return false;
  }),
  'a block of another document, or of an older or newer text, is not stored, and the earlier one stays': put.instead(
    async ([block], right, { collections }) => {
      const { documentDigest = block.documentDigest } = collections.get(block.collectionId) ?? {};
      return right.put({ ...block, documentDigest });
    },
  ),
  'changing the bytes given or returned does not change a stored block': changedSince.returning(
    (changes, _asked, { operationBlocks }) =>
      changes.map((change) => ({
        ...change,
        packed: operationBlocks.get(embeddingKey(change.collectionId, 'm1'))?.block.packed ?? change.packed,
      })),
  ),
  'changes after a sequence are returned in order, up to the limit': changedSince.instead(
    async ([after, modelId, limit], right) =>
      (await right.changedSince(after, modelId, 99))
        .toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1))
        .slice(0, limit),
  ),
  'a collection is outdated while its block by the model is missing, or made from what has changed': misjudging(
    ({ operationBlocks, collections }, id, modelId) =>
      operationBlocks.get(embeddingKey(id, modelId))?.block.contentRevision === collections.get(id)?.contentRevision,
  ),
  'progress counts the collections, and those whose block is up to date': progress.returning(
    (progress, _asked, { operationBlocks }) => ({ ...progress, done: operationBlocks.size }),
  ),
  'a collection whose job is a dead letter has failed, unless its block is up to date': progress.returning(
    (progress) => ({ ...progress, failed: progress.total - progress.done }),
  ),
  'blocks of other models are removed up to the limit, and those of this one stay': removeOthers.followed(
    ({ operationBlocks }, [, limit], removed) => removed < limit && operationBlocks.clear(),
  ),
});
