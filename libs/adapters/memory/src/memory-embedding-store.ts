import type { Collection, EmbeddingStore } from '@portico/domain';
import { embeddingKeyOf, selectIdsAfter, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryEmbeddingStore = (database: MemoryDatabase): EmbeddingStore => {
  const { collections, embeddings } = database;

  return {
    async put(embedding) {
      const { collectionId, modelId, contentRevision } = embedding;
      if (collections.get(collectionId)?.contentRevision !== contentRevision) return false;
      database.lastSequence += 1;
      const storedEmbedding = { embedding: copyFrozen(embedding), sequence: database.lastSequence };
      embeddings.set(embeddingKeyOf(collectionId, modelId), storedEmbedding);
      return true;
    },

    async listChangedSince(after, modelId, limit) {
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

    async listCollectionsAfter(after, modelId, limit) {
      const ids = [...embeddings.values()].flatMap(({ embedding }) =>
        embedding.modelId === modelId ? [embedding.collectionId] : [],
      );
      return selectIdsAfter(ids, after, limit);
    },

    async listOutdated(modelId) {
      return [...collections.values()]
        .filter((collection) => !isUpToDate(database, collection, modelId))
        .map(({ id }) => id);
    },

    async countEmbedded(modelId) {
      return [...collections.values()].filter((collection) => isUpToDate(database, collection, modelId)).length;
    },

    async listUpToDateModels(collectionId) {
      const collection = collections.get(collectionId);
      const models = [...embeddings.values()].map(({ embedding }) => embedding.modelId);
      return collection ? [...new Set(models)].filter((model) => isUpToDate(database, collection, model)) : [];
    },
  };
};

const isUpToDate = ({ embeddings }: MemoryDatabase, { id, contentRevision }: Collection, modelId: string) =>
  embeddings.get(embeddingKeyOf(id, modelId))?.embedding.contentRevision === contentRevision;
