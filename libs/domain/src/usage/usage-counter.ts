import type { Principal } from '../access/principal.ts';
import type { CollectionId, OperationKey, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import { createOperationCounter } from './operation-counter.ts';
import {
  type Day,
  dayOf,
  type DayUse,
  noUses,
  type OperationDayUse,
  type OperationUsageKind,
  type UsageCounts,
  type UsageKind,
  usageKinds,
  sumUses,
} from './usage.ts';

/** The caller who uses a collection: a principal. */
export type UsageCaller = Pick<Principal, 'profile' | 'via' | 'deadline'>;

/**
 * Counts uses in memory until they are written. Counting a use takes a few map lookups, about a fifth of a microsecond.
 */
export interface UsageCounter {
  /** Records that the caller was admitted. */
  readonly touch: (caller: UsageCaller) => void;
  /** Counts a use of a collection, or of no particular collection; does not count a use by a request that timed out. */
  readonly count: CountUse;
  /** Removes and returns the counts since the last call. */
  readonly take: () => UsageBatch;
  /** Adds counts that were taken but could not be written. */
  readonly putBack: (batch: UsageBatch) => void;
  /** Returns the number of uses that were lost since the last call because too many were waiting. */
  readonly takeLostCount: () => number;
  /** Returns all uses since the process started. */
  readonly getTotals: () => UsageCounts;
}

/** Slices and calls are uses of an operation; other kinds are not. */
export interface CountUse {
  (caller: UsageCaller, kind: OperationUsageKind, collectionId: CollectionId, operationKey: OperationKey): void;
  (caller: UsageCaller, kind: Exclude<UsageKind, OperationUsageKind>, collectionId: CollectionId | null): void;
}

/** Counts to write. The uses of collections include those of their operations. */
export interface UsageBatch {
  readonly uses: readonly DayUse[];
  readonly operations: readonly OperationDayUse[];
}

/** Required by use cases that count uses. */
export interface WithUsageCounter {
  readonly uses: UsageCounter;
}

/**
 * The maximum number of waiting pairs of a profile and a collection, about 20 MB. So many are waiting only if nothing
 * could be written for a long time.
 */
export const pendingUsesMax = 50_000;

export const createUsageCounter = (now: () => Instant): UsageCounter => {
  const totals: Counts = { ...noUses };
  const operationCounter = createOperationCounter();
  let usesByDay: UsesByDay = new Map();
  let pairs = 0;
  let lostCount = 0;

  /** Returns the entry for a use; a new entry has no uses. Returns null if too many entries are waiting. */
  const entryFor = ({ day, profileId, collectionId, lastUsedAt }: UseKey): PendingUse | null => {
    const existingUse = usesByDay.get(day)?.get(profileId)?.get(collectionId);
    if (existingUse || pairs >= pendingUsesMax) return existingUse ?? null;
    const use = { day, profileId, collectionId, counts: { ...noUses }, lastUsedAt, keyUsedAt: null };
    getOrCreateInner(getOrCreateInner(usesByDay, day), profileId).set(collectionId, use);
    pairs += 1;
    return use;
  };

  const recordUse = ({ profile, via }: UsageCaller, collectionId: CollectionId | null): PendingUse | null => {
    const usedAt = now();
    const use = entryFor({ day: dayOf(usedAt), profileId: profile.id, collectionId, lastUsedAt: usedAt });
    if (use) updateLastUse(use, usedAt, via === 'key' ? usedAt : null);
    return use;
  };

  return {
    touch(caller) {
      if (isRecorded(caller)) recordUse(caller, null);
    },

    count(caller: UsageCaller, kind: UsageKind, collectionId: CollectionId | null, operationKey?: OperationKey) {
      if (caller.deadline?.hasExpired) return;
      totals[kind] += 1;
      if (!isRecorded(caller)) return;
      const use = recordUse(caller, collectionId);
      if (!use) lostCount += 1;
      else {
        use.counts[kind] += 1;
        if (collectionId && operationKey)
          operationCounter.add(createOperationUse({ ...use, collectionId }, kind, operationKey));
      }
    },

    take() {
      const uses = listUses(usesByDay);
      usesByDay = new Map();
      pairs = 0;
      return { uses, operations: operationCounter.take() };
    },

    putBack({ uses, operations }) {
      for (const use of operations) operationCounter.add(use);
      for (const returnedUse of uses) {
        const use = entryFor(returnedUse);
        if (use) {
          updateLastUse(use, returnedUse.lastUsedAt, returnedUse.keyUsedAt);
          for (const kind of usageKinds) use.counts[kind] += returnedUse.counts[kind];
        } else lostCount += sumUses(returnedUse.counts);
      }
    },

    takeLostCount() {
      const previousCount = lostCount;
      lostCount = 0;
      return previousCount;
    },

    getTotals: () => ({ ...totals }),
  };
};

/** Returns one use of an operation, at the time of the last use of its collection. */
const createOperationUse = (
  { day, profileId, collectionId, lastUsedAt }: PendingUse & { readonly collectionId: CollectionId },
  kind: UsageKind,
  operationKey: OperationKey,
): OperationDayUse => {
  const counts = { slice: kind === 'slice' ? 1 : 0, call: kind === 'call' ? 1 : 0 };
  return { day, profileId, collectionId, operationKey, counts, lastUsedAt };
};

/**
 * Whether the caller's uses are stored: they are stored by profile. Service accounts and the operator are not profiles,
 * so their uses count only in the totals.
 */
const isRecorded = ({ via }: UsageCaller): boolean => via === 'token' || via === 'key';

type Counts = { -readonly [Kind in UsageKind]: number };

interface PendingUse extends DayUse {
  readonly counts: Counts;
  lastUsedAt: Instant;
  keyUsedAt: Instant | null;
}

type UseKey = Omit<DayUse, 'counts' | 'keyUsedAt'>;

/**
 * The waiting uses, by day, profile and collection: combining the three into one key would cost ten times as much as
 * three lookups.
 */
type UsesByDay = Map<Day, Map<ProfileId, Map<CollectionId | null, PendingUse>>>;

const listUses = (usesByDay: UsesByDay): readonly DayUse[] =>
  [...usesByDay.values()].flatMap((usesByProfile) => [...usesByProfile.values()].flatMap((uses) => [...uses.values()]));

const getOrCreateInner = <Key, InnerKey, Value>(
  outer: Map<Key, Map<InnerKey, Value>>,
  key: Key,
): Map<InnerKey, Value> => {
  const existingInner = outer.get(key);
  if (existingInner) return existingInner;
  const inner = new Map<InnerKey, Value>();
  outer.set(key, inner);
  return inner;
};

/** Updates the times of the last use, but never to an earlier time: the clock may have been set back. */
const updateLastUse = (use: PendingUse, usedAt: Instant, keyUsedAt: Instant | null): void => {
  use.lastUsedAt = Math.max(use.lastUsedAt, usedAt);
  if (keyUsedAt !== null) use.keyUsedAt = Math.max(use.keyUsedAt ?? keyUsedAt, keyUsedAt);
};
