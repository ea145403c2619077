import type { CollectionId } from '../ids.ts';
import type { Embedding, EmbeddingChange } from '../search/embedding.ts';

/** The vectors of all collections: the source of truth, which every index copies. */
export interface EmbeddingStore {
  /**
   * Stores the embedding in place of the collection's earlier one from the same model, with the next `sequence`, but
   * only if the collection exists and has this `contentRevision`: a late result for an older revision of the text is never stored.
   * Returns whether it was stored.
   */
  put(embedding: Embedding): Promise<boolean>;

  /** Returns at most `limit` embeddings from this model with a sequence number above `after`, in that order. */
  listChangedSince(after: number, modelId: string, limit: number): Promise<readonly EmbeddingChange[]>;

  /**
   * Returns at most `limit` collections that have an embedding from this model, with an id above `after` (null: all), in
   * id order.
   */
  listCollectionsAfter(after: CollectionId | null, modelId: string, limit: number): Promise<readonly CollectionId[]>;

  /** Returns the collections whose embedding from this model is missing or was created from an older revision of the text. */
  listOutdated(modelId: string): Promise<readonly CollectionId[]>;

  /** Returns the number of collections that have an up-to-date embedding from this model. */
  countEmbedded(modelId: string): Promise<number>;

  /** Returns the models whose embedding of this collection is up to date. */
  listUpToDateModels(collectionId: CollectionId): Promise<readonly string[]>;
}
