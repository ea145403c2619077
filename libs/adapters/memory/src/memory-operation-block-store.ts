import type { Collection, OperationBlockStore } from '@portico/domain';
import { embeddingKeyOf, selectIdsAfter, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryOperationBlockStore = (database: MemoryDatabase): OperationBlockStore => {
  const { collections, operations, operationBlocks } = database;

  return {
    async put(block) {
      const { collectionId, modelId, documentDigest, contentRevision } = block;
      const collection = collections.get(collectionId);
      const isCurrent =
        collection?.contentRevision === contentRevision &&
        collection.documentDigest === documentDigest &&
        operations.get(collectionId)?.digest === documentDigest;
      if (!isCurrent) return false;
      database.lastOperationSequence += 1;
      const storedBlock = { block: copyFrozen(block), sequence: database.lastOperationSequence };
      operationBlocks.set(embeddingKeyOf(collectionId, modelId), storedBlock);
      return true;
    },

    async listChangedSince(after, modelId, limit) {
      return [...operationBlocks.values()]
        .filter(({ block, sequence }) => block.modelId === modelId && sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(({ block, sequence }) => ({ ...block, packed: block.packed.slice(), sequence }));
    },

    async listCollectionsAfter(after, modelId, limit) {
      const ids = [...operationBlocks.values()].flatMap(({ block }) =>
        block.modelId === modelId ? [block.collectionId] : [],
      );
      return selectIdsAfter(ids, after, limit);
    },

    async listOutdated(modelId) {
      return [...collections.values()]
        .filter((collection) => !isUpToDate(database, collection, modelId))
        .map(({ id }) => id);
    },

    async readProgress(modelId) {
      const allCollections = [...collections.values()];
      const outdatedCollections = allCollections.filter((collection) => !isUpToDate(database, collection, modelId));
      const failedIds = new Set(
        [...database.jobs.values()].flatMap(({ job: { task }, isDeadLetter }) =>
          isDeadLetter && task.kind === 'operations' ? [task.collectionId] : [],
        ),
      );
      return {
        total: allCollections.length,
        done: allCollections.length - outdatedCollections.length,
        failed: outdatedCollections.filter(({ id }) => failedIds.has(id)).length,
      };
    },

    async removeOthers(modelId, limit) {
      const otherBlocks = [...operationBlocks].filter(([, { block }]) => block.modelId !== modelId).slice(0, limit);
      for (const [key] of otherBlocks) operationBlocks.delete(key);
      return otherBlocks.length;
    },
  };
};

const isUpToDate = (
  { operationBlocks }: MemoryDatabase,
  { id, documentDigest, contentRevision }: Collection,
  modelId: string,
): boolean => {
  const block = operationBlocks.get(embeddingKeyOf(id, modelId))?.block;
  return block?.documentDigest === documentDigest && block.contentRevision === contentRevision;
};
