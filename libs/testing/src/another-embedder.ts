import { createLexicalEmbedder } from '@portico/embedder';
import type { Embedder } from '@portico/domain';

/** An embedder of another model: the built-in one, which disregards two thirds of what it found. */
export const createAnotherEmbedder = (modelId = 'another-model'): Embedder => {
  const lexical = createLexicalEmbedder();
  return {
    ...lexical,
    modelId: async () => modelId,
    async embed(texts, purpose) {
      const { vectors } = await lexical.embed(texts, purpose);
      return { modelId, vectors: vectors.map(thinned) };
    },
  };
};

const thinned = (vector: Float32Array): Float32Array => {
  const left = vector.map((x, i) => (i % 3 === 0 ? x : 0));
  left[0] = (left[0] ?? 0) + 0.01;
  const length = Math.hypot(...left);
  return left.map((x) => x / length);
};
