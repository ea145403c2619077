import type { NewRevision } from '../changes/revision.ts';
import type { Collection, ListedCollection, Visibility } from '../collections/collection.ts';
import type { LifecycleState } from '../collections/lifecycle.ts';
import type { NamesakeCollection } from '../collections/namesakes.ts';
import type { PackedText, ReadDocument } from '../documents/document.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Effects } from './effects.ts';

export interface ListPage {
  readonly limit: number;
  /** The last collection of the previous page, by sort key and id; null for the first page. */
  readonly after: { readonly nameKey: string; readonly id: CollectionId } | null;
}

export type InactiveState = Exclude<LifecycleState, 'active'>;

export type NamedCollection = Pick<Collection, 'id' | 'name'>;

/** The stored parts of a document: its text, its operations, and the text that it was converted from. */
export interface DocumentContent extends Pick<ReadDocument, 'packed' | 'operations' | 'original'> {
  readonly revision: NewRevision;
}

/**
 * Collections and their documents. Every `decide` is synchronous and pure, and may run more than once. When a call
 * resolves, all operations of its document are stored; before that, other callers may see the document without any of
 * its operations.
 */
export interface CollectionStore {
  /** Adds a collection with its document, the document's operations, and its first revision. */
  add(collection: Collection, document: DocumentContent, effects: Effects): Promise<void>;

  /** Returns the collection with that id, or null. */
  find(id: CollectionId): Promise<Collection | null>;

  /** Returns the collection with that import key, or null. */
  findByImportKey(importKey: string): Promise<Collection | null>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change to the same collection. If
   * `decide` returns null, nothing is written; if its change has no `document`, the stored document and its operations
   * are kept. A document with a digest other than the current one becomes the next revision, created at the collection's
   * `updatedAt`, and the earlier text is kept. Returns the collection after the change. Throws `collection_not_found`.
   */
  update(
    id: CollectionId,
    decide: (
      current: Collection,
    ) => (Effects & { readonly collection: Collection; readonly document?: DocumentContent }) | null,
  ): Promise<Collection>;

  /**
   * Removes the collection with its document, revisions, operations, vectors, grants and access requests. The grants
   * epoch of each profile that had a grant increases, and so does the groups epoch. Collections that it was the successor
   * of have none from then on. Throws `collection_not_found`.
   */
  remove(id: CollectionId, decide: (current: Collection) => Effects): Promise<void>;

  /** Returns the current document and its digest, or null if there is no such collection. */
  findDocument(id: CollectionId): Promise<{ readonly digest: string; readonly packed: PackedText } | null>;

  /**
   * Returns the text that the current document was converted from, and its digest, or null if the document is stored as
   * it was sent, or there is no such collection.
   */
  findOriginal(id: CollectionId): Promise<{ readonly digest: string; readonly packed: PackedText } | null>;

  /**
   * Returns the visible collections, all or one page, sorted by `toNameKey(name)` (code points), then by id. If
   * `containing` is given, returns only collections whose name contains it, ignoring case; if `tag` is given, only
   * those with this tag, ignoring case. Does not read documents.
   */
  list(
    visibility: Visibility,
    page: ListPage | null,
    containing?: string | null,
    tag?: string | null,
  ): Promise<readonly ListedCollection[]>;

  /** Returns the visible collections that have exactly one of these names, in the order of `list`. */
  findByNames(visibility: Visibility, names: readonly string[]): Promise<readonly NamedCollection[]>;

  /** Returns the visible collections that have one of these names, ignoring case, in the order of `list`. */
  listNamesakes(visibility: Visibility, names: readonly string[]): Promise<readonly NamesakeCollection[]>;

  /** Returns the number of collections that `list` returns without a page. */
  count(visibility: Visibility, containing: string | null, tag?: string | null): Promise<number>;

  /** Returns the ids of all visible collections, in any order. */
  listVisibleIds(visibility: Visibility): Promise<readonly CollectionId[]>;

  /** Returns the collections that the profile owns, as a member of their owner group, in any order. */
  listOwnedIds(profile: ProfileId): Promise<readonly CollectionId[]>;

  /** Returns the states of the collections that are not active. */
  listInactive(): Promise<ReadonlyMap<CollectionId, InactiveState>>;

  /** Returns the names of these collections, omitting those that do not exist. */
  findNames(ids: readonly CollectionId[]): Promise<ReadonlyMap<CollectionId, string>>;
}
