import type { CollectionId } from '../ids.ts';
import type { OperationMatch } from '../operations/operation-result.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

export interface OperationQuery {
  readonly modelId: string;
  readonly vector: HybridVector;
  /** Only operations of these collections are searched. If the same array is passed again, it means the same set. */
  readonly candidateIds: readonly CollectionId[];
  /** Only operations with this method, in upper case; null for all. */
  readonly method: string | null;
  readonly limit: number;
  /** The result reflects every block with a sequence number up to this one. */
  readonly asOf: number;
}

export interface OperationMatches {
  /** The matches, sorted by descending similarity. */
  readonly matches: readonly OperationMatch[];
  /** Whether the index was unavailable, so that the vectors in the database were compared directly. */
  readonly isFallback: boolean;
}

/**
 * Finds the operations most similar to a query, filtered before ranking. The index is a copy of the
 * `OperationBlockStore` and reads missing blocks from there; callers never store vectors in it.
 */
export interface OperationIndex {
  /**
   * Returns the `limit` most similar operations of `candidateIds` with the method. Operations outside `candidateIds`, and vectors
   * from a different model, have no influence. The result may contain an operation that is no longer stored: the caller
   * reads the operations that it displays from the store.
   */
  search(query: OperationQuery): Promise<OperationMatches>;

  /** Rejects while the index is unavailable. */
  check(): Promise<void>;
}
