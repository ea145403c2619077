import type { ClientAccess, CollectionAccess, GrantState } from '../grants/grant.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Effects } from './effects.ts';

/** Grants: which client may use which collection. Every `decide` is synchronous and pure, and may run more than once. */
export interface GrantStore {
  /**
   * Loads the pair's state, decides and adds the grant in one transaction. Of concurrent calls for one pair, exactly
   * one sees no grant. The grants epoch of the client grows.
   */
  grant(
    client: ProfileId,
    collection: CollectionId,
    decide: (state: GrantState) => Effects & { readonly grantedAt: Instant },
  ): Promise<void>;

  /**
   * Loads the pair's state, decides and removes the grant in one transaction. Once the promise is fulfilled, no read
   * anywhere sees the grant. The grants epoch of the client grows.
   */
  revoke(client: ProfileId, collection: CollectionId, decide: (state: GrantState) => Effects): Promise<void>;

  /** Every collection with the client's grant, in the order of lists; null if there is no such profile. */
  collectionsOf(
    client: ProfileId,
  ): Promise<{ readonly client: Profile; readonly collections: readonly CollectionAccess[] } | null>;

  /** The profiles with a grant for the collection, by e-mail; null if there is no such collection. */
  clientsOf(collection: CollectionId): Promise<readonly ClientAccess[] | null>;
}
