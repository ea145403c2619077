import type { CollectionId, IndexedOperation, OperationBlockChange, OperationBlockStore } from '@portico/domain';
import { packOperations } from '@portico/domain';
import { listCollectionsAfter } from './list-collections-after.ts';

/** The part of a block store that an index reads, and functions that write to it without notifying the index. */
export interface OperationBlockChanges extends Pick<OperationBlockStore, 'listChangedSince' | 'listCollectionsAfter'> {
  /** Stores the operations, replacing the collection's previous block from this model. Returns the block's sequence number. */
  put(collectionId: CollectionId, operations: readonly IndexedOperation[], modelId?: string): number;
  /** Removes the collection's blocks, as removing the collection does. */
  remove(collectionId: CollectionId): void;
}

/**
 * Creates a store with one block per collection and model. Each write gets the next sequence number, as in
 * `OperationBlockStore`.
 */
export const createOperationBlockChanges = (): OperationBlockChanges => {
  const blocks = new Map<string, OperationBlockChange>();
  let sequence = 0;
  return {
    put(collectionId, operations, modelId = 'model-1') {
      sequence += 1;
      blocks.set(`${collectionId} ${modelId}`, {
        collectionId,
        modelId,
        sequence,
        documentDigest: '0'.repeat(64),
        contentRevision: 1,
        operations: operations.length,
        packed: packOperations(operations),
      });
      return sequence;
    },
    remove(collectionId) {
      for (const [key, block] of blocks) if (block.collectionId === collectionId) blocks.delete(key);
    },
    async listCollectionsAfter(after, modelId, limit) {
      return listCollectionsAfter(blocks.values(), after, modelId, limit);
    },
    async listChangedSince(after, modelId, limit) {
      return [...blocks.values()]
        .filter((block) => block.modelId === modelId && block.sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map((block) => ({ ...block, packed: block.packed.slice() }));
    },
  };
};
