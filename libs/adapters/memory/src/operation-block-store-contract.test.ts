import { operationBlockStoreContract } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { breachesOf, saveEntries, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKeyOf, type MemoryDatabase } from './memory-database.ts';

const { listChangedSince, listCollectionsAfter, listOutdated, readProgress, put, removeOthers } =
  breachesOf('operationBlocks');
const { remove } = breachesOf('collections');

/** Lists all collections as outdated except those for which the callback returns true. */
const listOutdatedUnless = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  listOutdated.replaceWith(async ([modelId], _original, database) =>
    [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  );

proveStores('the memory operation block store', operationBlockStoreContract, {
  'a block is returned exactly as it was stored': listChangedSince.mapResult((changes) =>
    changes.map((change) => ({ ...change, packed: change.packed.map((byte) => byte & 127) })),
  ),
  "a block replaces its collection's previous block and gets a higher sequence number": put.restoreAfter(
    ({ operationBlocks }, [{ collectionId, modelId }]) => {
      const key = embeddingKeyOf(collectionId, modelId);
      return saveEntry(operationBlocks, key, (after, { sequence }) => ({ ...after, sequence }));
    },
  ),
  'a block from a different model does not replace the existing one': put.runAfter(({ operationBlocks }) => {
    for (const key of [...operationBlocks.keys()].slice(0, -1)) operationBlocks.delete(key);
  }),
  'the collections with data from a model are returned in batches, ordered by id': listCollectionsAfter.mapResult(
    (ids) => ids.toReversed(),
  ),
  'concurrent writes get distinct sequence numbers': put.runOnStaleState((database) => {
    const before = database.lastOperationSequence;
    return () => (database.lastOperationSequence = before);
  }),
  'a sequence number is not reused after its collection is removed': put.runBefore((database) => {
    const sequences = [...database.operationBlocks.values()].map(({ sequence }) => sequence);
    database.lastOperationSequence = Math.max(0, ...sequences);
  }),
  'removing a collection removes its blocks': remove.restoreAfter(({ operationBlocks }) =>
    saveEntries(operationBlocks),
  ),
  'a block of a missing collection is not stored': put.replaceWith(async ([block], original, database) => {
    if (await original.put(block)) return true;
    database.operationBlocks.set('any', { block, sequence: 1 });
    return false;
  }),
  'a block of a different document, or of an older or newer revision of the text, is not stored, and the existing one is kept':
    put.replaceWith(async ([block], original, { collections }) => {
      const { documentDigest = block.documentDigest } = collections.get(block.collectionId) ?? {};
      return original.put({ ...block, documentDigest });
    }),
  'changing the bytes that were passed or returned does not change the stored block': listChangedSince.mapResult(
    (changes, _args, { operationBlocks }) =>
      changes.map((change) => ({
        ...change,
        packed: operationBlocks.get(embeddingKeyOf(change.collectionId, 'm1'))?.block.packed ?? change.packed,
      })),
  ),
  'changes after a given sequence number are returned in order, up to the limit': listChangedSince.replaceWith(
    async ([after, modelId, limit], original) =>
      (await original.listChangedSince(after, modelId, 99))
        .toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1))
        .slice(0, limit),
  ),
  'a collection is outdated if it has no block from the model, or only one of an older revision': listOutdatedUnless(
    ({ operationBlocks, collections }, id, modelId) =>
      operationBlocks.get(embeddingKeyOf(id, modelId))?.block.contentRevision === collections.get(id)?.contentRevision,
  ),
  'the progress counts all collections, and those with an up-to-date block': readProgress.mapResult(
    (progress, _args, { operationBlocks }) => ({ ...progress, done: operationBlocks.size }),
  ),
  'a collection whose job is a dead letter counts as failed, unless its block is up to date': readProgress.mapResult(
    (progress) => ({ ...progress, failed: progress.total - progress.done }),
  ),
  'blocks from other models are removed up to the limit, and those from this model are kept': removeOthers.runAfter(
    ({ operationBlocks }, [, limit], removedCount) => removedCount < limit && operationBlocks.clear(),
  ),
});
