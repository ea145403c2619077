import type { CollectionId, Embedding, EmbeddingChange, EmbeddingStore } from '@portico/domain';

/** The part of an embedding store that a vector index reads, with a way to write to it without telling the index. */
export interface EmbeddingChanges extends Pick<EmbeddingStore, 'changedSince'> {
  /** Stores the vector in place of the collection's earlier one; returns its sequence. */
  put(embedding: Pick<Embedding, 'modelId' | 'collectionId' | 'vector'>): number;
  /** Removes the collection's vector, as the removal of a collection does. */
  remove(collectionId: CollectionId): void;
}

/** One row per collection, each write with the next sequence, as `EmbeddingStore` promises. */
export const createEmbeddingChanges = (): EmbeddingChanges => {
  const rows = new Map<CollectionId, EmbeddingChange & { readonly modelId: string }>();
  let sequence = 0;
  return {
    put({ modelId, collectionId, vector }) {
      sequence += 1;
      rows.set(collectionId, { sequence, collectionId, modelId, vector: vector.slice() });
      return sequence;
    },
    remove(collectionId) {
      rows.delete(collectionId);
    },
    async changedSince(after, modelId, limit) {
      return [...rows.values()]
        .filter((row) => row.modelId === modelId && row.sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(({ sequence, collectionId, vector }) => ({ sequence, collectionId, vector: vector.slice() }));
    },
  };
};
