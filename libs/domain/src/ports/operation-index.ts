import type { CollectionId } from '../ids.ts';
import type { OperationMatch } from '../operations/operation-result.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

export interface OperationQuery {
  readonly modelId: string;
  readonly vector: HybridVector;
  /** Only operations of these are searched. The same array may be passed again, and then means the same set. */
  readonly among: readonly CollectionId[];
  /** Only operations with this method, in capitals; null for all. */
  readonly method: string | null;
  readonly limit: number;
  /** The answer reflects every block with a sequence up to this one. */
  readonly asOf: number;
}

export interface OperationMatches {
  /** By descending similarity. */
  readonly matches: readonly OperationMatch[];
  /** Whether the index was away, so that the vectors of the database were compared directly. */
  readonly isFallback: boolean;
}

/**
 * Finds the operations most similar to a query, filtered before ranking. The index is a copy of the
 * `OperationBlockStore` and reads what it is missing from there; callers never store vectors in it.
 */
export interface OperationIndex {
  /**
   * Returns the `limit` most similar operations of `among` with the method. Operations outside `among`, and vectors of
   * another model, have no influence. An operation that is no longer stored may be among them: the caller reads what it
   * shows from the store.
   */
  search(query: OperationQuery): Promise<OperationMatches>;

  /** Rejects while the index cannot answer. */
  check(): Promise<void>;
}
