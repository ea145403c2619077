import type { CollectionId, OperationKey, ProfileId } from '../ids.ts';
import { dayMs, type Instant } from '../instant.ts';

/**
 * The kinds of counted uses (extensions, sections 3 and 7). `read`: a read of a collection's document or metadata,
 * whether it was sent or the caller already had it. `slice`: a read of an operation. `call`: a call of an operation that
 * Portico made. `credential_read`: a read that returned the stored credential, which also counts as `read`. Search
 * queries are not stored. `refused`: a request with valid credentials that was rejected because its profile had used up
 * its limit.
 */
export const usageKinds = ['read', 'search', 'slice', 'call', 'credential_read', 'refused'] as const;

export type UsageKind = (typeof usageKinds)[number];

/** The kinds that are also counted per operation. */
export const operationUsageKinds = ['slice', 'call'] as const satisfies readonly UsageKind[];

export type OperationUsageKind = (typeof operationUsageKinds)[number];

/** The number of uses of each kind. */
export type UsageCounts = Readonly<Record<UsageKind, number>>;

export const noUses: UsageCounts = { read: 0, search: 0, slice: 0, call: 0, credential_read: 0, refused: 0 };

export const sumUses = (counts: UsageCounts): number => usageKinds.reduce((sum, kind) => sum + counts[kind], 0);

/** How the lines of a report are sorted: by their subject, or by their number of uses. */
export type UsageOrder = 'subject' | 'most';

/** A day in UTC: days since 1970-01-01. */
export type Day = number;

export const dayOf = (instant: Instant): Day => Math.floor(instant / dayMs);

/** Formats a day as ISO 8601: `2026-01-31`. */
export const dateOf = (day: Day): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** The uses by one profile on one day of one collection, or of no particular collection. */
export interface DayUse {
  readonly day: Day;
  readonly profileId: ProfileId;
  /**
   * Null for searches in all collections, for rejected requests, and for a record that only states that the profile was admitted.
   */
  readonly collectionId: CollectionId | null;
  readonly counts: UsageCounts;
  readonly lastUsedAt: Instant;
  /** The time of the last use with the API key; null if the key was not used. */
  readonly keyUsedAt: Instant | null;
}

/**
 * The uses by one profile on one day of one operation, which its `DayUse` of the collection includes. At most
 * `operationsPerDayMax` operations are stored per profile and day: beyond that, only the counts of the collection grow.
 */
export interface OperationDayUse extends Pick<DayUse, 'day' | 'profileId' | 'lastUsedAt'> {
  readonly collectionId: CollectionId;
  readonly operationKey: OperationKey;
  readonly counts: Readonly<Record<OperationUsageKind, number>>;
}

/** A profile that used an operation. */
export type OperationUser = Pick<OperationDayUse, 'operationKey' | 'profileId'>;

export const operationsPerDayMax = 1_000;

/**
 * When a profile last sent a request with any valid credential, and with its API key, whether or not its limit admitted
 * the request.
 */
export type LastUse = Pick<DayUse, 'lastUsedAt' | 'keyUsedAt'>;

/** The subject of the lines of a report. */
export type UsageGrouping = 'day' | 'collection' | 'profile' | 'operation';

export type UsageSubject =
  | { readonly by: 'day'; readonly day: Day }
  /**
   * The id is null for uses that are not of a single collection; the name is null in that case, and if the caller must
   * not see it.
   */
  | { readonly by: 'collection'; readonly collectionId: CollectionId | null; readonly collectionName: string | null }
  | { readonly by: 'profile'; readonly profileId: ProfileId; readonly profileEmail: string }
  | OperationSubject;

export interface OperationSubject {
  readonly by: 'operation';
  readonly operationKey: OperationKey;
  /** Null if the operation no longer exists, and if the caller must not see the collection; the path also. */
  readonly method: string | null;
  readonly path: string | null;
  readonly collectionId: CollectionId;
  /** Null if the caller must not see it. */
  readonly collectionName: string | null;
}

/**
 * A line in a report: the uses on one day, of one collection, by one profile or of one operation. Lines of operations
 * have only uses of `operationUsageKinds`.
 */
export interface UsageLine {
  readonly subject: UsageSubject;
  readonly counts: UsageCounts;
}

/** All conditions that are not null must hold. */
export interface UsageFilter extends DayRange {
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
}

export interface DayRange {
  /** Inclusive. */
  readonly first: Day;
  /** Exclusive. */
  readonly end: Day;
}

/** The number of days in a report if the request does not specify the start. */
export const usageDaysDefault = 30;

/**
 * Returns the days that overlap the period between two instants, the second of which is exclusive. Without the second,
 * the period ends today; without the first, it is the 30 days before its end.
 */
export const toDayRange = (from: Instant | null, to: Instant | null, now: Instant): DayRange => {
  const end = to === null ? dayOf(now) + 1 : Math.ceil(to / dayMs);
  return { first: from === null ? end - usageDaysDefault : dayOf(from), end };
};

/** The maximum number of lines in a report. */
export const usageLinesMax = 10_000;

/**
 * The number of days that counts are kept for: counts of earlier days are removed, and so are the times of last use.
 */
export const usageRetentionDays = 400;
