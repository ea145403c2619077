import type { EmbeddingStore, VectorIndex, VectorMatch } from '@portico/domain';

/** Creates a reference index, which stores nothing and compares each query with every embedding of the model. */
export const createExactIndex = ({
  embeddings,
}: {
  readonly embeddings: Pick<EmbeddingStore, 'listChangedSince'>;
}): VectorIndex => ({
  kind: 'exact',
  remove: async () => undefined,
  dropModel: async () => undefined,
  async search({ modelId, vector, candidateIds, limit }) {
    const visibleIds = new Set(candidateIds);
    const storedEmbeddings = await embeddings.listChangedSince(0, modelId, Number.MAX_SAFE_INTEGER);
    const matches = storedEmbeddings
      .filter(({ collectionId }) => visibleIds.has(collectionId))
      .map((embedding) => ({
        collectionId: embedding.collectionId,
        score: Math.max(0, cosine(embedding.vector, vector)),
      }));
    return { matches: selectBest(matches, limit), isFallback: false };
  },
  async check() {
    await embeddings.listChangedSince(0, 'none', 1);
  },
});

const selectBest = (matches: readonly VectorMatch[], limit: number): readonly VectorMatch[] => {
  const sortedMatches = [...matches].sort((x, y) => y.score - x.score);
  const lastMatch = sortedMatches[Math.min(limit, sortedMatches.length) - 1];
  return lastMatch ? sortedMatches.filter(({ score }) => score >= lastMatch.score) : [];
};

const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

const cosine = (x: Float32Array, y: Float32Array): number => dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
