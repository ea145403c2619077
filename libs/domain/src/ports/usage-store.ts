import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Day, DayUse, LastUse, UsageFilter, UsageGrouping, UsageLine, UsageOrder } from '../usage/usage.ts';

/** Counts of use, by day, profile and collection. They go with the profile, and with the collection. */
export interface UsageStore {
  /**
   * Adds the counts to those that are stored for the same day, profile and collection, in one statement: those of
   * several processes add up. The instants of the last use only grow. Leaves out what is about a profile or a
   * collection that is gone.
   */
  add(uses: readonly DayUse[]): Promise<void>;

  /**
   * Sums up what is stored under the filter; at most `limit` lines, none without uses. Days come oldest first,
   * collections in the order of lists, then the uses of none, profiles by e-mail; or those with most uses first, equal
   * ones in that order.
   */
  report(by: UsageGrouping, filter: UsageFilter, limit: number, order?: UsageOrder): Promise<readonly UsageLine[]>;

  /** When these profiles were last used, without those that never were. */
  profileUses(ids: readonly ProfileId[]): Promise<ReadonlyMap<ProfileId, LastUse>>;

  /** When these collections were last used, by this profile or by anyone, without those that never were. */
  collectionUses(ids: readonly CollectionId[], by: ProfileId | null): Promise<ReadonlyMap<CollectionId, Instant>>;

  /** Removes up to `limit` counts of days before that one, oldest first; returns how many it removed. */
  prune(before: Day, limit: number): Promise<number>;
}
