import { setImmediate } from 'node:timers/promises';
import type { HybridVector, Operation, OperationEmbedder } from '@portico/domain';
import { createWordVectorEmbedder } from './word-vector-embedder.ts';

export const createOperationEmbedder = (): OperationEmbedder => {
  const embedder = createWordVectorEmbedder();
  const vectorOf = async (texts: readonly (readonly [string, number])[], purpose: 'document' | 'query') => {
    const { vectors } = await embedder.embed(texts.map(([text]) => text), purpose);
    const sum = new Float32Array(768);
    vectors.forEach((vector, i) => vector.forEach((x, at) => (sum[at] = (sum[at] ?? 0) + x * (texts[i]?.[1] ?? 0))));
    const length = Math.hypot(...sum) || 1;
    const unit = sum.map((x) => x / length);
    const indices = [...unit.keys()].slice(256).filter((i) => unit[i] !== 0);
    const vector: HybridVector = {
      dense: unit.slice(0, 256),
      sparse: { indices: Uint32Array.from(indices), weights: Float32Array.from(indices, (i) => unit[i] ?? 0) },
    };
    return vector;
  };
  return {
    modelId: async () => `${await embedder.modelId()}/operations`,
    async embedOperations({ name }, operations) {
      const vectors: HybridVector[] = [];
      for (const { summary, operationId, path, tags, excerpt } of operations as readonly Operation[]) {
        const parts = [
          [name, 0.5],
          [summary ?? '', 1],
          [operationId ?? '', 0.5],
          [path, 0.3],
          [tags.join(' '), 0.3],
          [excerpt, 0.3],
        ] as const;
        vectors.push(await vectorOf(parts.filter(([text]) => text !== ''), 'document'));
        if (vectors.length % 16 === 0) await setImmediate();
      }
      return vectors;
    },
    embedQuestion: async (text) => ({ vector: await vectorOf([[text, 1]], 'query') }),
  };
};
