import type { CollectionId, Embedding, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import { listCollectionsAfter } from './list-collections-after.ts';

/** The part of an embedding store that a vector index reads. Writes to it do not notify the index. */
export interface EmbeddingChanges extends Pick<EmbeddingStore, 'listChangedSince' | 'listCollectionsAfter'> {
  /** Stores the vector, replacing the collection's previous one from the same model. Returns its sequence number. */
  put(embedding: Pick<Embedding, 'modelId' | 'collectionId' | 'vector'>): number;
  /** Removes the collection's vectors, as removing the collection does. */
  remove(collectionId: CollectionId): void;
  /** Removes all of the model's vectors. */
  removeModel(modelId: string): void;
}

/** Creates a store with one row per collection and model. Each write gets the next sequence number, as in `EmbeddingStore`. */
export const createEmbeddingChanges = (): EmbeddingChanges => {
  const rows = new Map<string, EmbeddingChange & { readonly modelId: string }>();
  let sequence = 0;
  return {
    put({ modelId, collectionId, vector }) {
      sequence += 1;
      rows.set(`${collectionId} ${modelId}`, { sequence, collectionId, modelId, vector: vector.slice() });
      return sequence;
    },
    remove(collectionId) {
      for (const [key, row] of rows) if (row.collectionId === collectionId) rows.delete(key);
    },
    removeModel(modelId) {
      for (const [key, row] of rows) if (row.modelId === modelId) rows.delete(key);
    },
    async listCollectionsAfter(after, modelId, limit) {
      return listCollectionsAfter(rows.values(), after, modelId, limit);
    },
    async listChangedSince(after, modelId, limit) {
      return [...rows.values()]
        .filter((row) => row.modelId === modelId && row.sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(({ sequence, collectionId, vector }) => ({ sequence, collectionId, vector: vector.slice() }));
    },
  };
};
