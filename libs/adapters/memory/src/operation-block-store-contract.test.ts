import { operationBlockStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import type { CollectionId, OperationBlockChange, OperationProgress } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { embeddingKey, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Changes with other contents. */
const altering = (
  alter: (changes: readonly OperationBlockChange[], limit: number) => readonly OperationBlockChange[],
) =>
  breaking('operationBlocks', (right) => ({
    changedSince: async (after, modelId, limit) => alter(await right.changedSince(after, modelId, 99), limit),
  }));

/** Outdated by a wrong criterion. */
const misjudging = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  breaking('operationBlocks', (_right, _stores, database) => ({
    outdated: async (modelId) => [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  }));

const inProgress = (alter: (progress: OperationProgress) => Partial<OperationProgress>) =>
  breaking('operationBlocks', (right) => ({
    progress: async (modelId) => {
      const progress = await right.progress(modelId);
      return { ...progress, ...alter(progress) };
    },
  }));

const sabotages: Sabotages<typeof operationBlockStoreContract, Stores> = {
  'a block is returned exactly as it was put': altering((changes) =>
    changes.map((change) => ({ ...change, packed: change.packed.map((byte) => byte & 127) })),
  ),
  'a block replaces the earlier one of its collection, with a later sequence': breaking(
    'operationBlocks',
    (right, _stores, { operationBlocks }) => ({
      put: async (block) => {
        const key = embeddingKey(block.collectionId, block.modelId);
        const before = operationBlocks.get(key);
        const isStored = await right.put(block);
        const after = operationBlocks.get(key);
        if (before && after) operationBlocks.set(key, { ...after, sequence: before.sequence });
        return isStored;
      },
    }),
  ),
  'a block by another model stands beside the earlier one': breaking(
    'operationBlocks',
    (right, _stores, { operationBlocks }) => ({
      put: async (block) => {
        const isStored = await right.put(block);
        for (const key of [...operationBlocks.keys()].slice(0, -1)) operationBlocks.delete(key);
        return isStored;
      },
    }),
  ),
  'the collections of a model come by id, a portion at a time': breaking('operationBlocks', (right) => ({
    collectionsAfter: async (after, modelId, limit) =>
      (await right.collectionsAfter(after, modelId, limit)).toReversed(),
  })),
  'concurrent puts get different sequences': breaking('operationBlocks', (right, _stores, database) => ({
    put: async (block) => {
      const before = database.lastOperationSequence;
      await pause();
      database.lastOperationSequence = before;
      return right.put(block);
    },
  })),
  'a sequence is not reused after a removal': breaking('operationBlocks', (right, _stores, database) => ({
    put: (block) => {
      const sequences = [...database.operationBlocks.values()].map(({ sequence }) => sequence);
      database.lastOperationSequence = Math.max(0, ...sequences);
      return right.put(block);
    },
  })),
  'a removed collection takes its blocks with it': breaking('collections', (right, _stores, { operationBlocks }) => ({
    remove: async (...asked) => {
      const before = [...operationBlocks];
      await right.remove(...asked);
      for (const [key, block] of before) operationBlocks.set(key, block);
    },
  })),
  'a block of a missing collection is not stored': breaking('operationBlocks', (right, _stores, database) => ({
    put: async (block) => {
      if (await right.put(block)) return true;
      database.operationBlocks.set('any', { block, sequence: 1 });
      return false;
    },
  })),
  'a block of another document, or of an older or newer text, is not stored, and the earlier one stays': breaking(
    'operationBlocks',
    (right, _stores, { collections }) => ({
      put: async (block) => {
        const { documentDigest = block.documentDigest } = collections.get(block.collectionId) ?? {};
        return right.put({ ...block, documentDigest });
      },
    }),
  ),
  'changing the bytes given or returned does not change a stored block': breaking(
    'operationBlocks',
    (right, _stores, { operationBlocks }) => ({
      changedSince: async (...asked) =>
        (await right.changedSince(...asked)).map((change) => ({
          ...change,
          packed: operationBlocks.get(embeddingKey(change.collectionId, 'm1'))?.block.packed ?? change.packed,
        })),
    }),
  ),
  'changes after a sequence are returned in order, up to the limit': altering((changes, limit) =>
    [...changes].sort((a, b) => (a.collectionId < b.collectionId ? -1 : 1)).slice(0, limit),
  ),
  'a collection is outdated while its block by the model is missing, or made from what has changed': misjudging(
    ({ operationBlocks, collections }, id, modelId) =>
      operationBlocks.get(embeddingKey(id, modelId))?.block.contentRevision === collections.get(id)?.contentRevision,
  ),
  'progress counts the collections, and those whose block is up to date': breaking(
    'operationBlocks',
    (right, _stores, { operationBlocks }) => ({
      progress: async (modelId) => ({ ...(await right.progress(modelId)), done: operationBlocks.size }),
    }),
  ),
  'a collection whose job is a dead letter has failed, unless its block is up to date': inProgress(
    ({ total, done }) => ({ failed: total - done }),
  ),
  'blocks of other models are removed up to the limit, and those of this one stay': breaking(
    'operationBlocks',
    (right, _stores, { operationBlocks }) => ({
      removeOthers: async (modelId, limit) => {
        const removed = await right.removeOthers(modelId, limit);
        if (removed < limit) operationBlocks.clear();
        return removed;
      },
    }),
  ),
};

describe('the memory operation block store', () => {
  proveContract(operationBlockStoreContract, sabotages, createMemoryStores);
});
