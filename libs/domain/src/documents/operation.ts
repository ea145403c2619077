import type { CollectionId, OperationKey } from '../ids.ts';

/** One method of one path of a document, as lists and searches show it. */
export interface Operation {
  /**
   * 16 characters of the lower-case base32 (RFC 4648) of SHA-256 over `METHOD path` (extensions, section 1). Survives
   * updates of the document as long as method and path do.
   */
  readonly key: OperationKey;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | null;
  readonly summary: string | null;
  /** In the document's order. */
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** The beginning of its description, as it is read for the search; `''` if it has none. */
  readonly excerpt: string;
}

/** What an operation says of itself. */
export type OperationTexts = Omit<Operation, 'key'>;

export interface PlacedOperation extends Operation {
  /** Its place in the document's order, counted from 0. */
  readonly position: number;
}

/** Names an operation among those of all collections. */
export interface OperationName {
  readonly collectionId: CollectionId;
  readonly key: OperationKey;
}

/** An operation with the collection that it belongs to. */
export interface FoundOperation extends Operation, OperationName {
  readonly collectionName: string;
}
