import type { CollectionId } from '../ids.ts';
import type { Embedding, EmbeddingChange } from '../search/embedding.ts';

/** The vectors of all collections: the truth that an index is a copy of. */
export interface EmbeddingStore {
  /**
   * Stores the embedding in place of the collection's earlier one, with the next `sequence`; but only if the collection exists
   * and its `contentRevision` is this one. Returns whether it was stored, so that a late result of an older text is never kept.
   */
  put(embedding: Embedding): Promise<boolean>;

  /** Embeddings of this model with a sequence above `after`, in that order, at most `limit`. */
  changedSince(after: number, modelId: string, limit: number): Promise<readonly EmbeddingChange[]>;

  /** Collections whose embedding is missing, of another model, or made from an older text. */
  outdated(modelId: string): Promise<readonly CollectionId[]>;

  /** How many collections have an embedding of this model that is up to date. */
  embedded(modelId: string): Promise<number>;
}
