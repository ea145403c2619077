import type { CollectionId, ModelProgress, SearchModels } from '@portico/domain';
import { embeddingKeyOf, type MemoryDatabase, type StoredEmbedding } from './memory-database.ts';

export const createMemorySearchModels = (database: MemoryDatabase): SearchModels => {
  const { models, embeddings } = database;

  return {
    async readState() {
      const announcedModels = [...models.values()].sort((a, b) => a.firstSeenAt - b.firstSeenAt);
      const epochs = {
        catalog: database.catalogEpoch,
        embeddings: database.lastSequence,
        operations: database.lastOperationSequence,
      };
      return { serving: database.searchModel, announcedModels, epochs };
    },

    async announce(modelId, now) {
      const latestSeenAt = Math.max(-1, ...[...models.values()].map(({ firstSeenAt }) => firstSeenAt));
      const { firstSeenAt, lastSeenAt } = models.get(modelId) ?? {
        firstSeenAt: Math.max(now, latestSeenAt + 1),
        lastSeenAt: now,
      };
      models.set(modelId, { modelId, firstSeenAt, lastSeenAt: Math.max(now, lastSeenAt) });
    },

    readProgress: async (from, to) => progressOf(database, from, to),

    async promote(from, to) {
      if (database.searchModel !== from) return false;
      if (from !== null) {
        const { total, done, failed } = progressOf(database, from, to);
        if (done + failed < total) return false;
      }
      database.searchModel = to;
      return true;
    },

    async removeEmbeddings(modelId, limit) {
      if (modelId === database.searchModel) return 0;
      const keys = [...embeddings].filter(([, { embedding }]) => embedding.modelId === modelId).map(([key]) => key);
      for (const key of keys.slice(0, limit)) embeddings.delete(key);
      return Math.min(keys.length, limit);
    },

    async remove({ modelId, lastSeenAt }) {
      const isUsed = [...embeddings.values()].some(({ embedding }) => embedding.modelId === modelId);
      if (isUsed || modelId === database.searchModel || models.get(modelId)?.lastSeenAt !== lastSeenAt) return;
      models.delete(modelId);
    },
  };
};

const progressOf = ({ embeddings, jobs }: MemoryDatabase, from: string, to: string): ModelProgress => {
  const servedEmbeddings = [...embeddings.values()].filter(({ embedding }) => embedding.modelId === from);
  const missingEmbeddings = servedEmbeddings.filter(
    ({ embedding: { collectionId, contentRevision } }: StoredEmbedding) => {
      const nextEmbedding = embeddings.get(embeddingKeyOf(collectionId, to))?.embedding;
      return nextEmbedding === undefined || nextEmbedding.contentRevision < contentRevision;
    },
  );
  const deadLetteredIds = new Set<CollectionId>(
    [...jobs.values()].flatMap(({ isDeadLetter, job: { task } }) =>
      isDeadLetter && task.kind === 'embed' ? [task.collectionId] : [],
    ),
  );
  const failedCount = missingEmbeddings.filter(({ embedding }) => deadLetteredIds.has(embedding.collectionId)).length;
  return {
    total: servedEmbeddings.length,
    done: servedEmbeddings.length - missingEmbeddings.length,
    failed: failedCount,
  };
};
