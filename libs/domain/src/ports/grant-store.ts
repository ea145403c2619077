import type { OperationRule } from '../access/operation-rule.ts';
import type { ClientAccess, CollectionAccess, Grant, GrantState, Pair } from '../grants/grant.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessRequest } from '../requests/access-request.ts';
import type { Effects } from './effects.ts';

export interface GrantChange extends Effects {
  /** Grants to add, or to store in place of the pair's grant. Each pair occurs once, and not in `remove`. */
  readonly put?: readonly (Pair & Grant)[];
  readonly remove?: readonly Pair[];
  /** Changed requests, out of those in the states. */
  readonly requests?: readonly AccessRequest[];
}

/**
 * Grants: which client or group may use which collection. `decide` is synchronous and pure, and may run more than once.
 */
export interface GrantStore {
  /**
   * Loads the state of each pair, in the given order, decides and stores in one transaction. Exactly one of several
   * concurrent calls for the same pair sees it without a grant. Once the promise is fulfilled, every read anywhere sees
   * the change. The grants epoch of each changed profile increases; the groups epoch increases if a group's grants
   * change.
   */
  update(pairs: readonly Pair[], decide: (states: readonly GrantState[]) => GrantChange): Promise<void>;

  /**
   * Returns every collection with the client's live grants, both its own and its groups', in the order of lists; null
   * if there is no such profile.
   */
  listCollections(
    client: ProfileId,
    now: Instant,
  ): Promise<{ readonly client: Profile; readonly collections: readonly CollectionAccess[] } | null>;

  /**
   * Returns the profiles with a live grant for the collection, sorted by email; null if there is no such collection.
   */
  listClients(collection: CollectionId, now: Instant): Promise<readonly ClientAccess[] | null>;

  /**
   * Returns the rules of the profile's live grants, both its own and its groups', for each of these collections, as
   * `CallerRow.rules` does. Collections without a live grant are omitted.
   */
  listRules(
    profile: ProfileId,
    collections: readonly CollectionId[],
    now: Instant,
  ): Promise<ReadonlyMap<CollectionId, readonly OperationRule[]>>;
}
