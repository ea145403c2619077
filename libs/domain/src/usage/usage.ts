import type { CollectionId, ProfileId } from '../ids.ts';
import { dayMs, type Instant } from '../instant.ts';

/**
 * What is counted (extensions, section 3). `read`: a document or the metadata of a collection, whether it was sent or
 * the caller had it already. `credential_read`: a read that returned the stored credential, which also counts as `read`.
 * Which query was searched is not kept. `refused`: a request by valid credentials that came when its profile had used up
 * its limit, so that it did nothing.
 */
export const usageKinds = ['read', 'search', 'slice', 'credential_read', 'refused'] as const;

export type UsageKind = (typeof usageKinds)[number];

/** How many uses of each kind. */
export type UsageCounts = Readonly<Record<UsageKind, number>>;

export const noUses: UsageCounts = { read: 0, search: 0, slice: 0, credential_read: 0, refused: 0 };

export const usesIn = (counts: UsageCounts): number => usageKinds.reduce((sum, kind) => sum + counts[kind], 0);

/** Which lines of a report come first: by what they are about, or by how many uses they have. */
export type UsageOrder = 'subject' | 'most';

/** A day in UTC: days since 1970-01-01. */
export type Day = number;

export const dayOf = (instant: Instant): Day => Math.floor(instant / dayMs);

/** ISO 8601: `2026-01-31`. */
export const dateOf = (day: Day): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** What one profile did on one day with one collection, or with none in particular. */
export interface DayUse {
  readonly day: Day;
  readonly profileId: ProfileId;
  /** Null for searches in all collections, for what was refused, and for the fact alone that the profile was admitted. */
  readonly collectionId: CollectionId | null;
  readonly counts: UsageCounts;
  readonly lastUsedAt: Instant;
  /** The last time by API key; null if the key was not used. */
  readonly keyUsedAt: Instant | null;
}

/** When a profile last came, by any valid credential and by its API key; whether its limit let it in or not. */
export type LastUse = Pick<DayUse, 'lastUsedAt' | 'keyUsedAt'>;

/** What the lines of a report are about. */
export type UsageGrouping = 'day' | 'collection' | 'profile';

export type UsageSubject =
  | { readonly by: 'day'; readonly day: Day }
  /** The id is null for uses of no single collection; the name then too, and if the caller must not see it. */
  | { readonly by: 'collection'; readonly collectionId: CollectionId | null; readonly collectionName: string | null }
  | { readonly by: 'profile'; readonly profileId: ProfileId; readonly profileEmail: string };

/** A line of a report: the uses on one day, of one collection or by one profile. */
export interface UsageLine {
  readonly of: UsageSubject;
  readonly counts: UsageCounts;
}

/** All given conditions must hold. */
export interface UsageFilter extends Days {
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
}

export interface Days {
  /** Inclusive. */
  readonly first: Day;
  /** Exclusive. */
  readonly end: Day;
}

/** How many days a report covers if the request does not say from when. */
export const usageDaysDefault = 30;

/**
 * The days that the time between two instants touches, the second one excluded. Without the second it ends today,
 * without the first it is the 30 days before its end.
 */
export const daysBetween = (from: Instant | null, to: Instant | null, now: Instant): Days => {
  const end = to === null ? dayOf(now) + 1 : Math.ceil(to / dayMs);
  return { first: from === null ? end - usageDaysDefault : dayOf(from), end };
};

/** The most lines of a report. */
export const usageLinesMax = 10_000;

/** Counts of days before that are removed; so is the knowledge of when something was last used. */
export const usageRetentionDays = 400;
