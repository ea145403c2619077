import type { EmbeddingStore, VectorIndex, VectorMatch } from '@portico/domain';

/** Creates a reference index, which stores nothing and compares each query with every embedding of the model. */
export const createExactIndex = ({
  embeddings,
}: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
}): VectorIndex => ({
  kind: 'exact',
  remove: async () => undefined,
  dropModel: async () => undefined,
  async search({ modelId, vector, among, limit }) {
    const visible = new Set(among);
    const stored = await embeddings.changedSince(0, modelId, Number.MAX_SAFE_INTEGER);
    const matches = stored
      .filter(({ collectionId }) => visible.has(collectionId))
      .map((embedding) => ({
        collectionId: embedding.collectionId,
        score: Math.max(0, cosine(embedding.vector, vector)),
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
