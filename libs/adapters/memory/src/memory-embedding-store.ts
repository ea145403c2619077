import type { Collection, EmbeddingStore } from '@portico/domain';
import { kept, type MemoryDatabase } from './memory-database.ts';

export const createMemoryEmbeddingStore = (database: MemoryDatabase): EmbeddingStore => {
  const { collections, embeddings } = database;

  return {
    async put(embedding) {
      const { collectionId, contentRevision } = embedding;
      if (collections.get(collectionId)?.contentRevision !== contentRevision) return false;
      database.lastSequence += 1;
      embeddings.set(collectionId, { embedding: kept(embedding), sequence: database.lastSequence });
      return true;
    },

    async changedSince(after, modelId, limit) {
      return [...embeddings.values()]
        .filter(({ embedding, sequence }) => embedding.modelId === modelId && sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(({ embedding: { collectionId, vector }, sequence }) => ({
          sequence,
          collectionId,
          vector: vector.slice(),
        }));
    },

    async outdated(modelId) {
      return [...collections.values()]
        .filter((collection) => !isUpToDate(database, collection, modelId))
        .map(({ id }) => id);
    },

    async embedded(modelId) {
      return [...collections.values()].filter((collection) => isUpToDate(database, collection, modelId)).length;
    },
  };
};

const isUpToDate = ({ embeddings }: MemoryDatabase, { id, contentRevision }: Collection, modelId: string) => {
  const stored = embeddings.get(id)?.embedding;
  return stored?.modelId === modelId && stored.contentRevision === contentRevision;
};
