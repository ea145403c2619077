import type { CollectionId } from '../ids.ts';
import type { VectorMatch } from '../search/search-result.ts';

export interface VectorQuery {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Only these are searched. The same array may be passed again, and then means the same set. */
  readonly among: readonly CollectionId[];
  readonly limit: number;
  /** The answer reflects every embedding with a sequence up to this one. */
  readonly asOf: number;
}

export interface VectorAnswer {
  readonly matches: readonly VectorMatch[];
  /** Whether the index was away, so that the vectors of the database were compared directly. */
  readonly isFallback: boolean;
}

/**
 * Finds the nearest vectors by cosine similarity: 768 dimensions, filtered before ranking. The index is a copy of the
 * `EmbeddingStore` and reads what it is missing from there; callers never store vectors in it.
 */
export interface VectorIndex {
  /** Its kind, for the health check. */
  readonly kind: string;

  /** Removes the vectors, of any model, of a collection that the store no longer has; a missing one is no error. */
  remove(collectionId: CollectionId): Promise<void>;

  /**
   * Returns the `limit` best of `among` by descending score, and any further ones whose score equals the last one's, so
   * that the caller can order ties. Vectors of another model, and vectors outside `among`, have no influence.
   */
  search(query: VectorQuery): Promise<VectorAnswer>;

  /** Drops what it holds of a model that is no longer searched; a model that it does not hold is no error. */
  forget(modelId: string): Promise<void>;

  /** Rejects while the index cannot answer. */
  check(): Promise<void>;
}
