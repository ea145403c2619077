import type { CollectionId } from '../ids.ts';
import type { VectorMatch } from '../search/search-result.ts';

export interface VectorQuery {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Only these collections are searched. If the same array is passed again, it means the same set. */
  readonly candidateIds: readonly CollectionId[];
  readonly limit: number;
  /** The result reflects every embedding with a sequence number up to this one. */
  readonly asOf: number;
}

export interface VectorMatches {
  readonly matches: readonly VectorMatch[];
  /** Whether the index was unavailable, so that the vectors in the database were compared directly. */
  readonly isFallback: boolean;
}

/**
 * Finds the nearest vectors by cosine similarity: 768 dimensions, filtered before ranking. The index is a copy of the
 * `EmbeddingStore` and reads missing vectors from there; callers never store vectors in it.
 */
export interface VectorIndex {
  /** The kind of index, for the health check. */
  readonly kind: string;

  /**
   * Removes the vectors, from any model, of a collection that the store no longer has. Does not fail if there are none.
   */
  remove(collectionId: CollectionId): Promise<void>;

  /**
   * Returns the `limit` best collections of `candidateIds` by descending score, and any further ones with the same score as
   * the last one, so that the caller can order ties. Vectors from a different model, and vectors outside `candidateIds`, have
   * no influence.
   */
  search(query: VectorQuery): Promise<VectorMatches>;

  /** Drops the vectors of a model that is no longer searched. Does not fail if there are none. */
  dropModel(modelId: string): Promise<void>;

  /** Rejects while the index is unavailable. */
  check(): Promise<void>;
}
