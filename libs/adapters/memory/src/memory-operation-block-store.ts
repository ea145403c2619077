import type { Collection, OperationBlockStore } from '@portico/domain';
import { embeddingKey, idsAfter, frozenCopy, type MemoryDatabase } from './memory-database.ts';

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
      const stored = { block: frozenCopy(block), sequence: database.lastOperationSequence };
      operationBlocks.set(embeddingKey(collectionId, modelId), stored);
      return true;
    },

    async changedSince(after, modelId, limit) {
      return [...operationBlocks.values()]
        .filter(({ block, sequence }) => block.modelId === modelId && sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(({ block, sequence }) => ({ ...block, packed: block.packed.slice(), sequence }));
    },

    async collectionsAfter(after, modelId, limit) {
      const ids = [...operationBlocks.values()].flatMap(({ block }) =>
        block.modelId === modelId ? [block.collectionId] : [],
      );
      return idsAfter(ids, after, limit);
    },

    async outdated(modelId) {
      return [...collections.values()]
        .filter((collection) => !isUpToDate(database, collection, modelId))
        .map(({ id }) => id);
    },

    async progress(modelId) {
      const all = [...collections.values()];
      const behind = all.filter((collection) => !isUpToDate(database, collection, modelId));
      const failed = new Set(
        [...database.jobs.values()].flatMap(({ job: { task }, isDeadLetter }) =>
          isDeadLetter && task.kind === 'operations' ? [task.collectionId] : [],
        ),
      );
      return {
        total: all.length,
        done: all.length - behind.length,
        failed: behind.filter(({ id }) => failed.has(id)).length,
      };
    },

    async removeOthers(modelId, limit) {
      const others = [...operationBlocks].filter(([, { block }]) => block.modelId !== modelId).slice(0, limit);
      for (const [key] of others) operationBlocks.delete(key);
      return others.length;
    },
  };
};

const isUpToDate = (
  { operationBlocks }: MemoryDatabase,
  { id, documentDigest, contentRevision }: Collection,
  modelId: string,
): boolean => {
  const block = operationBlocks.get(embeddingKey(id, modelId))?.block;
  return block?.documentDigest === documentDigest && block.contentRevision === contentRevision;
};
