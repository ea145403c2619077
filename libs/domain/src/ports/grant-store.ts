import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';
import type { Profile } from './profile-store.ts';

/** What a decision about one pair is made from. */
export interface GrantState {
  /** Null where there is no such profile; an admin's is told as well. */
  readonly client: Profile | null;
  /** The collection's name, or null where there is no such collection. */
  readonly collectionName: string | null;
  /** Null where there is no grant. */
  readonly grantedAt: Instant | null;
}

export interface CollectionAccess {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  /** Null where the client has no grant for it. */
  readonly grantedAt: Instant | null;
}

export interface ClientAccess {
  readonly profile: Profile;
  readonly grantedAt: Instant;
}

/** Grants: which client may use which collection. Every `decide` is synchronous and pure, and may run more than once. */
export interface GrantStore {
  /**
   * Loads the pair's state, decides and adds the grant in one transaction. Of simultaneous calls for one pair exactly
   * one sees no grant. The grants epoch of the client grows.
   */
  grant(
    client: ProfileId,
    collection: CollectionId,
    decide: (state: GrantState) => Effects & { readonly grantedAt: Instant },
  ): Promise<void>;

  /**
   * Loads the pair's state, decides and removes the grant in one transaction. Once the promise is fulfilled no read by
   * anyone sees the grant. The grants epoch of the client grows.
   */
  revoke(client: ProfileId, collection: CollectionId, decide: (state: GrantState) => Effects): Promise<void>;

  /** Every collection with the client's grant, in the order of lists; or null where there is no such profile. */
  collectionsOf(
    client: ProfileId,
  ): Promise<{ readonly client: Profile; readonly collections: readonly CollectionAccess[] } | null>;

  /** The profiles with a grant for the collection, by e-mail; or null where there is no such collection. */
  clientsOf(collection: CollectionId): Promise<readonly ClientAccess[] | null>;
}
