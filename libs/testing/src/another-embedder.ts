import { createLexicalEmbedder } from '@portico/embedder';
import type { Embedder } from '@portico/domain';

/** Creates an embedder with a different model: the built-in embedder, but with two thirds of its dimensions ignored. */
export const createAnotherEmbedder = (modelId = 'another-model'): Embedder => {
  const lexical = createLexicalEmbedder();
  return {
    ...lexical,
    getModelId: async () => modelId,
    async embed(texts, purpose) {
      const { vectors } = await lexical.embed(texts, purpose);
      return { modelId, vectors: vectors.map(thinOut) };
    },
  };
};

const thinOut = (vector: Float32Array): Float32Array => {
  const result = vector.map((x, i) => (i % 3 === 0 ? x : 0));
  result[0] = (result[0] ?? 0) + 0.01;
  const length = Math.hypot(...result);
  return result.map((x) => x / length);
};
