import type { Visibility } from '../collections/collection.ts';
import type { LifecycleState } from '../collections/lifecycle.ts';
import type { Grant } from '../grants/grant.ts';
import type { CollectionId, ProfileId, RequestId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessRequest, ListedRequest, RequestFilter } from '../requests/access-request.ts';
import type { NewRequestState } from '../requests/new-request-rules.ts';
import type { CatalogEntry } from '../requests/catalog.ts';
import type { ListPage } from './collection-store.ts';
import type { Effects } from './effects.ts';

/** The data for a decision about a request. */
export interface RequestState {
  readonly request: ListedRequest;
  /** The profile that sent the request. */
  readonly profile: Profile;
  /** The profile's own grant for the collection, even an expired one; null if there is none. */
  readonly grant: Grant | null;
  readonly lifecycle: LifecycleState;
  /** Whether the decider owns the collection; false if there is none. */
  readonly isOwned: boolean;
}

export interface RequestChange extends Effects {
  /** The same request with a new status, decision time and answer; nothing else changes. */
  readonly request: AccessRequest;
  /** Stored as the profile's own grant for the collection; if absent, no grant is stored. */
  readonly grant?: Grant;
}

export interface RequestPage {
  readonly limit: number;
  readonly order: 'oldest first' | 'newest first';
  /** The last request of the previous page; null for the first page. */
  readonly after: { readonly createdAt: Instant; readonly id: RequestId } | null;
}

export interface CatalogPage extends ListPage {
  /** Part of a name or description, ignoring the case of ASCII letters; null for all. */
  readonly containing: string | null;
}

/**
 * Access requests, and the catalog of collections that can be requested. Every `decide` is synchronous and pure, and
 * may run more than once.
 */
export interface AccessRequestStore {
  /**
   * Loads the current state of the pair, decides and adds the request in one transaction. Exactly one of several
   * concurrent calls for the same pair sees no pending request.
   */
  create(
    requester: ProfileId,
    collection: CollectionId,
    now: Instant,
    decide: (state: NewRequestState) => Effects & { readonly request: AccessRequest },
  ): Promise<void>;

  /** Returns the request with that id, or null. A request is removed with its profile or its collection. */
  find(id: RequestId): Promise<ListedRequest | null>;

  /** Returns the number of pending requests. */
  countPending(): Promise<number>;

  /** Returns one page of the requests that match the filter, sorted by time, then by id. */
  list(filter: RequestFilter, page: RequestPage): Promise<readonly ListedRequest[]>;

  /**
   * Loads, decides and stores in one transaction: the request, and the grant if there is one. The state says whether
   * `decider` owns the collection. Throws `request_not_found`. Exactly one of several concurrent calls sees the request as pending. Once the promise is
   * fulfilled, every read anywhere sees the grant, and the profile's grants epoch has increased.
   */
  decide(id: RequestId, decide: (state: RequestState) => RequestChange, decider?: ProfileId | null): Promise<void>;

  /**
   * Returns one page of the catalog, sorted as lists of collections are. The catalog contains the discoverable
   * collections that are not retired, and those that the reader can already see, which are marked `granted`. Any other
   * collection that the reader has a pending request for is marked `requested`.
   */
  listCatalog(reader: Visibility, page: CatalogPage): Promise<readonly CatalogEntry[]>;

  /** Returns which of these collections are discoverable. */
  findDiscoverable(ids: readonly CollectionId[]): Promise<ReadonlySet<CollectionId>>;
}
