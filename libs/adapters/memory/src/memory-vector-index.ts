import { embeddingDimension } from '@portico/domain';
import type { CollectionId, EmbeddingStore, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';

interface Row {
  readonly modelId: string;
  readonly vector: Float32Array;
}

/**
 * The reference: before each search it reads every embedding of the model anew where the query names a sequence that it
 * may not have, and compares with each. Vectors that have not 768 finite numbers or no direction are a `RangeError`.
 */
export const createMemoryVectorIndex = (ports: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
}): VectorIndex => {
  const rows = new Map<CollectionId, Row>();

  const catchUp = async ({ modelId, asOf }: VectorQuery): Promise<void> => {
    if (asOf === 0) {
      return;
    }
    for (const change of await ports.embeddings.changedSince(0, modelId, Number.MAX_SAFE_INTEGER)) {
      rows.set(change.collectionId, { modelId, vector: validVector(change.vector).slice() });
    }
  };

  return {
    kind: 'memory',
    async upsert(modelId, collectionId, vector) {
      rows.set(collectionId, { modelId, vector: validVector(vector).slice() });
    },
    async remove(collectionId) {
      rows.delete(collectionId);
    },
    async search(query) {
      validVector(query.vector);
      await catchUp(query);
      const matches: VectorMatch[] = [];
      for (const collectionId of new Set(query.among)) {
        const row = rows.get(collectionId);
        if (row?.modelId === query.modelId) {
          matches.push({ collectionId, score: Math.max(0, cosine(row.vector, query.vector)) });
        }
      }
      return best(matches, query.limit);
    },
    async check() {
      await ports.embeddings.changedSince(0, 'none', 1);
    },
  };
};

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
