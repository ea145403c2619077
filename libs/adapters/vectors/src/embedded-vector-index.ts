import type { EmbeddingStore, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { bestScores } from './best-scores.ts';
import { CatchUp } from './catch-up.ts';
import { VectorRows } from './vector-rows.ts';

/**
 * An exact index in the memory of the process, 3 KB per vector. It compares the query with every visible vector, and
 * reads from the store what it has not seen. It holds one vector per collection, of the latest model. A vector that is
 * zero, or does not have 768 finite numbers, causes a `RangeError`.
 */
export const createEmbeddedVectorIndex = (ports: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
}): VectorIndex => {
  const rows = new VectorRows();
  const catchUp = new CatchUp(ports.embeddings, rows);
  let scratch = new Float32Array(0);

  const rank = ({ vector, among, modelId, limit }: VectorQuery): readonly VectorMatch[] => {
    const visible = rows.rowsOf(among, modelId);
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
      catchUp.beforeRemoving(collectionId);
      rows.delete(collectionId);
    },
    async search(query) {
      rows.memory.check(query.vector);
      if (query.among.length === 0 || query.limit < 1) {
        return { matches: [], isFallback: false };
      }
      await catchUp.read(query.modelId, query.asOf);
      return { matches: rank(query), isFallback: false };
    },
    /** It works as long as it can read what it has not seen. */
    async check() {
      await ports.embeddings.changedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
    },
  };
};
