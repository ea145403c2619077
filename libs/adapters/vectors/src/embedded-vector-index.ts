import { embeddingBatchSize } from '@portico/dependencies';
import type { EmbeddingStore, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { bestScores } from './best-scores.ts';
import { CatchUp } from './catch-up.ts';
import { SearchedModels, usualIdleMs } from './searched-models.ts';
import { VectorMemory } from './vector-memory.ts';
import { VectorRows } from './vector-rows.ts';

/**
 * An exact index in the memory of the process, 3.1 KB per vector: it compares the query with every visible vector. It
 * reads from the store what it has not seen. It holds the vectors of the model that searches ask for; after a change of
 * the model those of both for a short while (`idleMs`). A vector that is zero, or does not have 768 finite numbers,
 * causes a `RangeError`.
 */
export const createEmbeddedVectorIndex = (ports: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince' | 'collectionsAfter'>;
  readonly idleMs?: number;
}): VectorIndex => {
  const models = new SearchedModels({
    open: (modelId) => {
      const rows = new VectorRows();
      return { rows, catchUp: new CatchUp(ports.embeddings, embeddingBatchSize, modelId, rows) };
    },
    idleMs: ports.idleMs ?? usualIdleMs,
  });

  return {
    kind: 'embedded',
    async remove(collectionId) {
      for (const { rows, catchUp } of models.all) {
        catchUp.beforeRemoving(collectionId);
        rows.delete(collectionId);
      }
    },
    async search(query) {
      const vector = VectorMemory.unit(query.vector);
      if (query.among.length === 0 || query.limit < 1) {
        return { matches: [], isFallback: false };
      }
      return models.during(query.modelId, async ({ rows, catchUp }) => {
        await catchUp.read(query.asOf);
        return { matches: best(rows, { ...query, vector }), isFallback: false };
      });
    },
    async forget(modelId) {
      models.drop(modelId);
    },
    /** It works as long as it can read what it has not seen. */
    async check() {
      await ports.embeddings.changedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
    },
  };
};

/** The query has unit length. */
const best = (rows: VectorRows, { vector, among, limit }: VectorQuery): readonly VectorMatch[] => {
  const compared = rows.rowsOf(among);
  const scores = new Float32Array(compared.length);
  rows.memory.score(vector, compared, scores);
  return bestScores(scores, limit).map((position) => ({
    collectionId: rows.collectionAt(compared[position] ?? 0),
    score: scores[position] ?? 0,
  }));
};
