import type { CollectionId, OperationKey } from '../ids.ts';
import type { HybridVector } from './operation-vectors.ts';

/** The content that an operation block is created from, and its model. */
export interface OperationBlockHeader {
  readonly collectionId: CollectionId;
  /** The model that created the vectors; vectors from different models are never compared. */
  readonly modelId: string;
  /** The digest of the document that contains these operations. */
  readonly documentDigest: string;
  /** The `contentRevision` of the collection, because its name and description are embedded too. */
  readonly contentRevision: number;
}

/** The vectors of all operations of a collection. */
export interface OperationBlock extends OperationBlockHeader {
  readonly operations: number;
  /** The result of `packOperations`. */
  readonly packed: Uint8Array;
}

export interface OperationBlockChange extends OperationBlock {
  /** Greater than the sequence number of everything stored before; the numbers may have gaps. */
  readonly sequence: number;
}

/** An operation as stored in an index. */
export interface IndexedOperation {
  readonly key: OperationKey;
  /** In upper case. */
  readonly method: string;
  readonly vector: HybridVector;
}

/** The progress of reading and embedding the operations of all collections. */
export interface OperationProgress {
  /** The number of collections. */
  readonly total: number;
  /** Collections with an up-to-date block. */
  readonly done: number;
  /** Collections without an up-to-date block, and with a job that is a dead letter. */
  readonly failed: number;
}
