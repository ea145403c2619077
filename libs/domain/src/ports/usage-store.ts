import type { CollectionId, OperationKey, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type {
  Day,
  DayUse,
  LastUse,
  OperationDayUse,
  OperationUser,
  UsageFilter,
  UsageGrouping,
  UsageLine,
  UsageOrder,
} from '../usage/usage.ts';

/**
 * Usage counts by day, profile and collection, and by operation. They are removed along with the profile or the
 * collection, but not with the operation.
 */
export interface UsageStore {
  /**
   * Adds the counts to those stored for the same day, profile and collection, in one statement, so that counts from
   * several processes add up. The time of the last use only increases. Ignores counts for a profile or a collection
   * that no longer exists.
   */
  add(uses: readonly DayUse[]): Promise<void>;

  /**
   * Adds the counts to those stored for the same day, profile and operation. The time of the last use only increases.
   * Stores at most `operationsPerDayMax` operations per day and profile, whichever processes add them: counts of
   * further ones are ignored. Ignores counts for a profile or a collection that no longer exists.
   */
  addOperations(uses: readonly OperationDayUse[]): Promise<void>;

  /**
   * Adds up the counts that match the filter; returns at most `limit` lines, and no lines without uses. Days are sorted
   * oldest first; collections as in lists, followed by the uses of no collection; profiles by email; operations by
   * collection and then as in the document, followed by those that no longer exist. Alternatively, lines with the most
   * uses come first, and lines with equal numbers are in that order.
   */
  report(by: UsageGrouping, filter: UsageFilter, limit: number, order?: UsageOrder): Promise<readonly UsageLine[]>;

  /** Returns when these profiles were last used, omitting those that never were. */
  findProfileUses(ids: readonly ProfileId[]): Promise<ReadonlyMap<ProfileId, LastUse>>;

  /** Returns when these collections were last used, by this profile or by anyone, omitting those that never were. */
  findCollectionUses(ids: readonly CollectionId[], by: ProfileId | null): Promise<ReadonlyMap<CollectionId, Instant>>;

  /**
   * Returns which profiles have used these operations of a collection since that time, each pair once and in any order; at
   * most `limit` pairs.
   */
  listOperationUsers(
    collection: CollectionId,
    operations: readonly OperationKey[],
    since: Instant,
    limit: number,
  ): Promise<readonly OperationUser[]>;

  /** Removes up to `limit` counts of days before that day, oldest first; returns the number removed. */
  prune(before: Day, limit: number): Promise<number>;

  /** Removes up to `limit` counts of operations of days before that day, oldest first; returns the number removed. */
  pruneOperations(before: Day, limit: number): Promise<number>;
}
