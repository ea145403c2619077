import type { FoundOperation, Operation, OperationName, PlacedOperation } from '../documents/operation.ts';
import type { CollectionId, OperationKey } from '../ids.ts';

/** Which operations of a collection are listed. */
export interface OperationFilter {
  /** The exact name of a tag; null for all. */
  readonly tag: string | null;
  /** Part of a path, operation id or summary, without regard to the case of ASCII letters; null for all. */
  readonly containing: string | null;
}

export interface OperationPage {
  readonly limit: number;
  /** Where the page begins in the document's order, counted from 0. */
  readonly from: number;
}

/** The operations of the stored documents. `CollectionStore` writes them with a document. */
export interface OperationStore {
  /** The operations of a collection, in the document's order; all of them if there is no page. */
  list(
    collectionId: CollectionId,
    filter: OperationFilter,
    page: OperationPage | null,
  ): Promise<readonly PlacedOperation[]>;

  /** The operation with that key, or null. */
  find(collectionId: CollectionId, key: OperationKey): Promise<Operation | null>;

  /** Those of these that exist, with the present names of their collections, in any order. */
  found(names: readonly OperationName[]): Promise<readonly FoundOperation[]>;

  /** Whether the collection has operations, and all of them are deprecated. */
  areAllDeprecated(collectionId: CollectionId): Promise<boolean>;

  /** The digest of the stored document; null if its operations are not written, or there is no such collection. */
  digest(collectionId: CollectionId): Promise<string | null>;

  /**
   * Stores the operations of a document in place of those of an earlier one, for a document that was stored without
   * them; only if the collection exists and still has this document. Returns whether it did.
   */
  replace(collectionId: CollectionId, documentDigest: string, operations: readonly Operation[]): Promise<boolean>;
}
