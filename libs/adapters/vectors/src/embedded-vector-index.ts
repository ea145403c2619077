import { embeddingBatchSize } from '@portico/dependencies';
import type { EmbeddingStore, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { bestScores } from './best-scores.ts';
import { CatchUp } from './catch-up.ts';
import { SearchedModels, usualIdleMs } from './searched-models.ts';
import { VectorMemory } from './vector-memory.ts';
import { VectorRows } from './vector-rows.ts';

/**
 * An exact index in the memory of the process, 3 KB per vector. It compares the query with every visible vector, and
 * reads from the store what it has not seen. It holds the vectors of the model that searches ask for; after a change of
 * the model those of both for a short while (`idleMs`). A vector that is zero, or does not have 768 finite numbers,
 * causes a `RangeError`.
 */
export const createEmbeddedVectorIndex = (ports: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly idleMs?: number;
}): VectorIndex => {
  const models = new SearchedModels((modelId) => {
    const rows = new VectorRows();
    return { rows, catchUp: new CatchUp(ports.embeddings, embeddingBatchSize, modelId, rows) };
  }, ports.idleMs ?? usualIdleMs);
  let scratch = new Float32Array(0);

  const rank = (rows: VectorRows, { vector, among, limit }: VectorQuery): readonly VectorMatch[] => {
    const visible = rows.rowsOf(among);
    if (scratch.length < visible.length) {
      scratch = new Float32Array(Math.max(visible.length, 2 * scratch.length));
    }
    const scores = scratch.subarray(0, visible.length);
    rows.memory.score(vector, visible, scores);
    return bestScores(scores, limit).map((position) => ({
      collectionId: rows.collectionAt(visible[position] ?? 0),
      score: scores[position] ?? 0,
    }));
  };

  return {
    kind: 'embedded',
    async remove(collectionId) {
      for (const { rows, catchUp } of models.all) {
        catchUp.beforeRemoving(collectionId);
        rows.delete(collectionId);
      }
    },
    async search(query) {
      VectorMemory.check(query.vector);
      if (query.among.length === 0 || query.limit < 1) {
        return { matches: [], isFallback: false };
      }
      return models.during(query.modelId, async ({ rows, catchUp }) => {
        await catchUp.read(query.asOf);
        return { matches: rank(rows, query), isFallback: false };
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
