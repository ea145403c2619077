import { embeddingDimension } from '@portico/domain';
import type { EmbeddingStore, VectorIndex, VectorMatch } from '@portico/domain';

/**
 * The reference: it keeps nothing, reads every embedding of the model for each search, and compares with each that is
 * asked about. Vectors that have not 768 finite numbers or no direction are a `RangeError`.
 */
export const createMemoryVectorIndex = ({
  embeddings,
}: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
}): VectorIndex => ({
  kind: 'memory',
  async remove() {
    // What the store has no more is not read by the next search.
  },
  async search({ modelId, vector, among, limit }) {
    validVector(vector);
    const visible = new Set(among);
    const stored = await embeddings.changedSince(0, modelId, Number.MAX_SAFE_INTEGER);
    const matches = stored
      .filter(({ collectionId }) => visible.has(collectionId))
      .map((embedding) => ({
        collectionId: embedding.collectionId,
        score: Math.max(0, cosine(validVector(embedding.vector), vector)),
      }));
    return { matches: best(matches, limit), isFallback: false };
  },
  async check() {
    await embeddings.changedSince(0, 'none', 1);
  },
});

const best = (matches: readonly VectorMatch[], limit: number): readonly VectorMatch[] => {
  const ordered = [...matches].sort((x, y) => y.score - x.score);
  const last = ordered[Math.min(limit, ordered.length) - 1];
  return last ? ordered.filter(({ score }) => score >= last.score) : [];
};

const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

const cosine = (x: Float32Array, y: Float32Array): number => dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));

const validVector = (vector: Float32Array): Float32Array => {
  if (vector.length !== embeddingDimension || !vector.every(Number.isFinite) || !vector.some((x) => x !== 0)) {
    throw new RangeError(`A vector has ${embeddingDimension} finite numbers, not all of them 0`);
  }
  return vector;
};
