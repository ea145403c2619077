import type { CollectionId, OperationKey } from '../ids.ts';
import type { HybridVector } from './operation-vectors.ts';

/** What an operation block is made from, and by which model. */
export interface OperationBlockFacts {
  readonly collectionId: CollectionId;
  /** The model that made the vectors; those of two models are never compared. */
  readonly modelId: string;
  /** The digest of the document whose operations these are. */
  readonly documentDigest: string;
  /** The `contentRevision` of the collection, whose name and description count too. */
  readonly contentRevision: number;
}

/** The vectors of all operations of a collection. */
export interface OperationBlock extends OperationBlockFacts {
  readonly operations: number;
  /** By `packOperations`. */
  readonly packed: Uint8Array;
}

export interface OperationBlockChange extends OperationBlock {
  /** Greater than the sequence of everything stored before; may have gaps. */
  readonly sequence: number;
}

/** An operation as an index holds it. */
export interface IndexedOperation {
  readonly key: OperationKey;
  /** In capitals. */
  readonly method: string;
  readonly vector: HybridVector;
}

/** How far the operations of all collections have been read and embedded. */
export interface OperationProgress {
  /** Collections. */
  readonly total: number;
  /** Those whose block is up to date. */
  readonly done: number;
  /** Those whose block is not, and whose job is a dead letter. */
  readonly failed: number;
}
