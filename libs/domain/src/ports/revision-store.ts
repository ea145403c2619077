import type { Change } from '../changes/change.ts';
import type { RecentRevision, Revision, RevisionReference } from '../changes/revision.ts';
import type { Visibility } from '../collections/collection.ts';
import type { PackedText } from '../documents/document.ts';
import type { CollectionId } from '../ids.ts';
import type { Instant } from '../instant.ts';

export interface RevisionPage {
  readonly limit: number;
  /** Returns only revisions with smaller numbers; null for the first page. */
  readonly before: number | null;
}

export interface RecentPage {
  readonly limit: number;
  /** Returns only revisions that were created then or later; null for all. */
  readonly since: Instant | null;
  /** The last revision of the previous page; null for the first page. */
  readonly after: (RevisionReference & { readonly createdAt: Instant }) | null;
}

/** The revisions that are retained, regardless of their age and of their number. */
export interface RevisionRetention {
  /** How many of the newest revisions of a collection are retained. */
  readonly newest: number;
  /** Revisions that were created then or later are retained. */
  readonly since: Instant;
}

/** The number of revisions, and the size of the texts that are stored besides the current ones. */
export interface RevisionTotals {
  readonly revisions: number;
  readonly packedBytes: number;
}

/** Reads and removes revisions. `CollectionStore` adds them. */
export interface RevisionStore {
  /** Returns a revision; null if it does not exist. */
  find(collectionId: CollectionId, number: number): Promise<Revision | null>;

  /** Returns the revisions of a collection in one page, newest first. */
  list(collectionId: CollectionId, page: RevisionPage): Promise<readonly Revision[]>;

  /** Returns the number of revisions of a collection. */
  count(collectionId: CollectionId): Promise<number>;

  /** Returns the text of a revision and its digest; null if the revision does not exist. */
  findText(
    collectionId: CollectionId,
    number: number,
  ): Promise<{ readonly digest: string; readonly packed: PackedText } | null>;

  /** Returns the stored changes of a revision; null if the revision does not exist. */
  findChanges(collectionId: CollectionId, number: number): Promise<readonly Change[] | null>;

  /** Returns the revisions of the visible collections in one page, by time, collection and number, newest first. */
  listRecent(visibility: Visibility, page: RecentPage): Promise<readonly RecentRevision[]>;

  /** Removes revisions that are not retained, the oldest first, at most `limit`. Returns how many it removed. */
  prune(retention: RevisionRetention, limit: number): Promise<number>;

  /** Returns the number and size of all revisions. */
  measure(): Promise<RevisionTotals>;
}
