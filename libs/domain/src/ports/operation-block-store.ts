import type { CollectionId } from '../ids.ts';
import type { OperationBlock, OperationBlockChange, OperationProgress } from '../operations/operation-block.ts';

/** The vectors of all operations, one block for each collection: the source of truth, which every index copies. */
export interface OperationBlockStore {
  /**
   * Stores the block in place of the collection's earlier one from the same model, with the next `sequence`, but only
   * if the collection exists and has this document and `contentRevision`. Returns whether it was stored.
   */
  put(block: OperationBlock): Promise<boolean>;

  /** Returns at most `limit` blocks from this model with a sequence number above `after`, in that order. */
  listChangedSince(after: number, modelId: string, limit: number): Promise<readonly OperationBlockChange[]>;

  /**
   * Returns at most `limit` collections that have a block from this model, with an id above `after` (null: all), in id
   * order.
   */
  listCollectionsAfter(after: CollectionId | null, modelId: string, limit: number): Promise<readonly CollectionId[]>;

  /**
   * Returns the collections whose block from this model is missing, or was created from an older document, name or
   * description.
   */
  listOutdated(modelId: string): Promise<readonly CollectionId[]>;

  readProgress(modelId: string): Promise<OperationProgress>;

  /** Removes up to `limit` blocks from models other than this one; returns the number removed. */
  removeOthers(modelId: string, limit: number): Promise<number>;
}
