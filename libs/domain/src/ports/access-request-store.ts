import type { Visibility } from '../collections/collection.ts';
import type { Grant } from '../grants/grant.ts';
import type { CollectionId, ProfileId, RequestId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessRequest, ListedRequest, RequestFilter } from '../requests/access-request.ts';
import type { AskState } from '../requests/asking.ts';
import type { CatalogLine } from '../requests/catalog.ts';
import type { ListPage } from './collection-store.ts';
import type { Effects } from './effects.ts';

/** The facts for a decision about a request. */
export interface RequestState {
  readonly request: ListedRequest;
  /** The asker. */
  readonly profile: Profile;
  /** The profile's own grant of the collection, even an expired one; null if there is none. */
  readonly grant: Grant | null;
}

export interface RequestChange extends Effects {
  /** The same request with another status, time of decision and answer; nothing else of it changes. */
  readonly request: AccessRequest;
  /** Stored as the profile's own grant of the collection; none if absent. */
  readonly grant?: Grant;
}

export interface RequestPage {
  readonly limit: number;
  readonly order: 'oldest first' | 'newest first';
  /** The last request of the previous page; null for the first page. */
  readonly after: { readonly createdAt: Instant; readonly id: RequestId } | null;
}

export interface CatalogPage extends ListPage {
  /** Part of a name or description, without regard to the case of ASCII letters; null for all. */
  readonly containing: string | null;
}

/**
 * Requests for access, and the catalog of what may be asked for. Every `decide` is synchronous and pure, and may run
 * more than once.
 */
export interface AccessRequestStore {
  /**
   * Loads the state of the pair at that moment, decides and adds the request in one transaction. Of concurrent calls
   * for one pair, exactly one sees no pending request.
   */
  ask(
    asker: ProfileId,
    collection: CollectionId,
    now: Instant,
    decide: (state: AskState) => Effects & { readonly request: AccessRequest },
  ): Promise<void>;

  /** The request with that id, or null. A request goes with its profile and its collection. */
  find(id: RequestId): Promise<ListedRequest | null>;

  /** How many requests are pending. */
  countPending(): Promise<number>;

  /** One page of the requests under the filter, by their time, ties by id. */
  list(filter: RequestFilter, page: RequestPage): Promise<readonly ListedRequest[]>;

  /**
   * Loads, decides and stores in one transaction: the request, and the grant if there is one. Throws
   * `request_not_found`. Of concurrent calls, exactly one sees it pending. Once the promise is fulfilled, every read
   * anywhere sees the grant, and the grants epoch of the profile has grown with it.
   */
  decide(id: RequestId, decide: (state: RequestState) => RequestChange): Promise<void>;

  /**
   * One page of the catalog, in the order of collection lists: the discoverable collections, and what the reader may
   * see anyway, which is `granted`; of the others, `requested` are those for which the reader has a pending request.
   */
  catalog(reader: Visibility, page: CatalogPage): Promise<readonly CatalogLine[]>;

  /** Those of these collections that are discoverable. */
  discoverable(ids: readonly CollectionId[]): Promise<ReadonlySet<CollectionId>>;
}
