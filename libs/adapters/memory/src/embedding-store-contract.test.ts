import { embeddingStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import type { CollectionId, EmbeddingChange } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { embeddingKey, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Changes with other contents. */
const altering = (alter: (changes: readonly EmbeddingChange[], limit: number) => readonly EmbeddingChange[]) =>
  breaking('embeddings', (right) => ({
    changedSince: async (after, modelId, limit) => alter(await right.changedSince(after, modelId, 99), limit),
  }));

/** Outdated by a wrong criterion. */
const misjudging = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  breaking('embeddings', (_right, _stores, database) => ({
    outdated: async (modelId) => [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  }));

const sabotages: Sabotages<typeof embeddingStoreContract, Stores> = {
  'an embedding is returned exactly as it was put': altering((changes) =>
    changes.map((change) => ({ ...change, vector: change.vector.map((x) => Math.round(x * 1e6) / 1e6) })),
  ),
  'an embedding replaces the earlier one of its collection, with a later sequence': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      put: async (embedding) => {
        const key = embeddingKey(embedding.collectionId, embedding.modelId);
        const before = embeddings.get(key);
        const isStored = await right.put(embedding);
        const after = embeddings.get(key);
        if (before && after) embeddings.set(key, { ...after, sequence: before.sequence });
        return isStored;
      },
    }),
  ),
  'an embedding by another model stands beside the earlier one': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      put: async (embedding) => {
        const isStored = await right.put(embedding);
        for (const key of [...embeddings.keys()].slice(0, -1)) embeddings.delete(key);
        return isStored;
      },
    }),
  ),
  'the collections of a model come by id, a portion at a time': breaking('embeddings', (right) => ({
    collectionsAfter: async (after, modelId, limit) =>
      (await right.collectionsAfter(after, modelId, limit)).toReversed(),
  })),
  'concurrent puts get different sequences': breaking('embeddings', (right, _stores, database) => ({
    put: async (embedding) => {
      const before = database.lastSequence;
      await pause();
      database.lastSequence = before;
      return right.put(embedding);
    },
  })),
  'a sequence is not reused after a removal': breaking('embeddings', (right, _stores, database) => ({
    put: (embedding) => {
      database.lastSequence = Math.max(0, ...[...database.embeddings.values()].map(({ sequence }) => sequence));
      return right.put(embedding);
    },
  })),
  'an embedding of a missing collection is not stored': breaking('embeddings', (right, _stores, { embeddings }) => ({
    put: async (embedding) => {
      if (await right.put(embedding)) return true;
      embeddings.set('any', { embedding, sequence: 1 });
      return false;
    },
  })),
  'an embedding of an older or newer text is not stored, and the earlier one stays': breaking(
    'embeddings',
    (right, _stores, { collections }) => ({
      put: async (embedding) => {
        const present = collections.get(embedding.collectionId)?.contentRevision ?? 0;
        return right.put({ ...embedding, contentRevision: Math.min(embedding.contentRevision, present) });
      },
    }),
  ),
  'changing the numbers given or returned does not change a stored vector': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      changedSince: async (...asked) =>
        (await right.changedSince(...asked)).map((change) => ({
          ...change,
          vector: embeddings.get(embeddingKey(change.collectionId, 'm1'))?.embedding.vector ?? change.vector,
        })),
    }),
  ),
  'changes after a sequence are returned in order, up to the limit': altering((changes, limit) =>
    [...changes].sort((a, b) => (a.collectionId < b.collectionId ? -1 : 1)).slice(0, limit),
  ),
  'changes are those of the requested model': breaking('embeddings', (_right, _stores, { embeddings }) => ({
    changedSince: async (after) =>
      [...embeddings.values()]
        .filter(({ sequence }) => sequence > after)
        .map(({ sequence, embedding }) => ({ ...embedding, sequence })),
  })),
  'a collection is outdated while its embedding by the model is missing or made from an older text': misjudging(
    ({ embeddings }, id, modelId) => embeddings.has(embeddingKey(id, modelId)),
  ),
  'a change that leaves the text alone leaves its embedding up to date': misjudging(
    ({ embeddings, collections }, id, modelId) =>
      embeddings.get(embeddingKey(id, modelId))?.embedding.contentRevision === collections.get(id)?.revision,
  ),
  'only up-to-date embeddings of the model count as embedded': breaking(
    'embeddings',
    (_right, _stores, { embeddings }) => ({ embedded: async () => embeddings.size }),
  ),
  'the models of a collection are those whose embedding is up to date': breaking(
    'embeddings',
    (_right, _stores, { embeddings }) => ({
      upToDate: async (id) =>
        [...embeddings.values()]
          .filter(({ embedding }) => embedding.collectionId === id)
          .map(({ embedding }) => embedding.modelId),
    }),
  ),
};

describe('the memory embedding store', () => {
  proveContract(embeddingStoreContract, sabotages, createMemoryStores);
});
