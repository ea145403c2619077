import type { Collection, ListedCollection, Visibility } from '../collections/collection.ts';
import type { PackedText } from '../documents/document.ts';
import type { CollectionId } from '../ids.ts';
import type { Effects } from './effects.ts';

export interface ListPage {
  readonly limit: number;
  /** The place of the last collection of the page before: its sort key and id; null for the first page. */
  readonly after: { readonly nameKey: string; readonly id: CollectionId } | null;
}

/** Collections and their documents. Every `decide` is synchronous and pure, and may run more than once. */
export interface CollectionStore {
  /** Adds a collection with its document. */
  add(collection: Collection, document: PackedText, effects: Effects): Promise<void>;

  /** The collection with that id, or null. */
  find(id: CollectionId): Promise<Collection | null>;

  /** The collection that was imported from there, or null. */
  findByImportKey(importKey: string): Promise<Collection | null>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change of the same collection.
   * Throws `collection_not_found`. Where `decide` returns null nothing is written and the collection is answered as it
   * is; where its change has no `document` the stored one stays. Returns what is stored afterwards.
   */
  update(
    id: CollectionId,
    decide: (
      current: Collection,
    ) => (Effects & { readonly collection: Collection; readonly document?: PackedText }) | null,
  ): Promise<Collection>;

  /** Removes the collection with its document, embedding and all grants. Throws `collection_not_found`. */
  remove(id: CollectionId, decide: (current: Collection) => Effects): Promise<void>;

  /** The document as it is now, with the digest that names it, or null where there is no such collection. */
  document(id: CollectionId): Promise<{ readonly digest: string; readonly packed: PackedText } | null>;

  /**
   * What is visible, ordered by `nameKey(name)` by code points, then by id; whole, or one page of it. No document is read for it.
   */
  list(visibility: Visibility, page: ListPage | null): Promise<readonly ListedCollection[]>;

  /** The ids of all that is visible, in any order. */
  visibleIds(visibility: Visibility): Promise<readonly CollectionId[]>;

  /** The names of those of these collections that exist. */
  names(ids: readonly CollectionId[]): Promise<ReadonlyMap<CollectionId, string>>;
}
