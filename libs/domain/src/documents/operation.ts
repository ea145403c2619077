import type { CollectionId, OperationKey } from '../ids.ts';

/** One method of one path of a document, as shown in lists and searches. */
export interface Operation {
  /**
   * 16 characters of the lower-case base32 (RFC 4648) of SHA-256 over `METHOD path` (extensions, section 1). Survives
   * updates of the document as long as the method and path remain.
   */
  readonly key: OperationKey;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | null;
  readonly summary: string | null;
  /** In the document's order. */
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** The beginning of the operation's description, as used by the search; `''` if it has none. */
  readonly excerpt: string;
}

/** The text and metadata of an operation. */
export type OperationDescription = Omit<Operation, 'key'>;

export interface PositionedOperation extends Operation {
  /** The operation's position in the document's order, counted from 0. */
  readonly position: number;
}

/** Identifies an operation among those of all collections. */
export interface OperationReference {
  readonly collectionId: CollectionId;
  readonly key: OperationKey;
}

/** An operation and the collection that it belongs to. */
export interface OperationWithCollection extends Operation, OperationReference {
  readonly collectionName: string;
}
