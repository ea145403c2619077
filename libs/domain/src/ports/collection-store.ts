import type { Collection, ListedCollection, Visibility } from '../collections/collection.ts';
import type { PackedText, ReadDocument } from '../documents/document.ts';
import type { CollectionId } from '../ids.ts';
import type { Effects } from './effects.ts';

export interface ListPage {
  readonly limit: number;
  /** The last collection of the previous page, by sort key and id; null for the first page. */
  readonly after: { readonly nameKey: string; readonly id: CollectionId } | null;
}

export type NamedCollection = Pick<Collection, 'id' | 'name'>;

/** What is stored of a document: its text and its operations. */
export type DocumentContent = Pick<ReadDocument, 'packed' | 'operations'>;

/**
 * Collections and their documents. Every `decide` is synchronous and pure, and may run more than once. Operations of a
 * document are all there when the call resolves; before that, others may see the document, and none of its operations.
 */
export interface CollectionStore {
  /** Adds a collection with its document and the operations of that. */
  add(collection: Collection, document: DocumentContent, effects: Effects): Promise<void>;

  /** The collection with that id, or null. */
  find(id: CollectionId): Promise<Collection | null>;

  /** The collection with that import key, or null. */
  findByImportKey(importKey: string): Promise<Collection | null>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change of the same collection. If
   * `decide` returns null, nothing is written; if its change has no `document`, the stored one and its operations stay.
   * Returns the collection as it is afterwards. Throws `collection_not_found`.
   */
  update(
    id: CollectionId,
    decide: (
      current: Collection,
    ) => (Effects & { readonly collection: Collection; readonly document?: DocumentContent }) | null,
  ): Promise<Collection>;

  /**
   * Removes the collection with its document, operations, vectors, all grants and all requests for it. The grants epoch
   * grows of each profile that had one, and the groups epoch. Throws `collection_not_found`.
   */
  remove(id: CollectionId, decide: (current: Collection) => Effects): Promise<void>;

  /** The current document and its digest, or null if there is no such collection. */
  document(id: CollectionId): Promise<{ readonly digest: string; readonly packed: PackedText } | null>;

  /**
   * The visible collections, all or one page, ordered by `nameKey(name)` by code points, then by id. With a text only
   * those whose name contains it, without regard to case. Reads no document.
   */
  list(visibility: Visibility, page: ListPage | null, containing?: string | null): Promise<readonly ListedCollection[]>;

  /** The visible collections that have exactly one of these names, in the order of `list`. */
  findByNames(visibility: Visibility, names: readonly string[]): Promise<readonly NamedCollection[]>;

  /** How many `list` returns without a page. */
  count(visibility: Visibility, containing: string | null): Promise<number>;

  /** The ids of all visible collections, in any order. */
  visibleIds(visibility: Visibility): Promise<readonly CollectionId[]>;

  /** The names of these collections, without those that do not exist. */
  names(ids: readonly CollectionId[]): Promise<ReadonlyMap<CollectionId, string>>;
}
