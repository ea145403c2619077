import type {
  OperationWithCollection,
  Operation,
  OperationReference,
  PositionedOperation,
} from '../documents/operation.ts';
import type { CollectionId, OperationKey } from '../ids.ts';

/** Selects the operations of a collection to list. */
export interface OperationFilter {
  /** The exact name of a tag; null for all operations. */
  readonly tag: string | null;
  /**
   * Part of a path, operation id or summary (the excerpt if there is no summary), ignoring the case of ASCII letters;
   * null for all.
   */
  readonly containing: string | null;
}

export interface OperationPage {
  readonly limit: number;
  /** The position of the page's first operation in the document's order, counted from 0. */
  readonly from: number;
}

/** The operations of the stored documents. `CollectionStore` writes them along with a document. */
export interface OperationStore {
  /** Returns the operations of a collection, in the document's order; all of them if there is no page. */
  list(
    collectionId: CollectionId,
    filter: OperationFilter,
    page: OperationPage | null,
  ): Promise<readonly PositionedOperation[]>;

  /** Returns the operation with that key, or null. */
  find(collectionId: CollectionId, key: OperationKey): Promise<Operation | null>;

  /** Returns the operations that exist among these, with the current names of their collections, in any order. */
  findMany(names: readonly OperationReference[]): Promise<readonly OperationWithCollection[]>;

  /** Returns whether the collection has operations and all of them are deprecated. */
  areAllDeprecated(collectionId: CollectionId): Promise<boolean>;

  /**
   * Returns the digest of the stored document; null if its operations have not been written, or there is no such
   * collection.
   */
  findDigest(collectionId: CollectionId): Promise<string | null>;

  /**
   * Replaces the stored operations with those of the current document, for a document that was stored without them, but
   * only if the collection exists and still has this document. Returns whether they were replaced.
   */
  replace(collectionId: CollectionId, documentDigest: string, operations: readonly Operation[]): Promise<boolean>;
}
