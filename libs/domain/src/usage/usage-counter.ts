import type { Principal } from '../access/principal.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import { type Day, dayOf, type DayUse, noUses, type UsageCounts, type UsageKind, usageKinds, usesIn } from './usage.ts';

/** Who uses something: a principal. */
export type UsageCaller = Pick<Principal, 'profile' | 'via' | 'deadline'>;

/** Counts uses in memory until they are written. A use costs a few looks into maps: a fifth of a microsecond. */
export interface UsageCounter {
  /** Notes that the caller was admitted. */
  readonly touch: (caller: UsageCaller) => void;
  /** Counts a use, of a collection or of none in particular; not if its request was answered as too late. */
  readonly count: (caller: UsageCaller, kind: UsageKind, collectionId: CollectionId | null) => void;
  /** Takes out what was counted since the last time. */
  readonly take: () => readonly DayUse[];
  /** Adds what was taken but could not be written. */
  readonly putBack: (uses: readonly DayUse[]) => void;
  /** How many uses were lost since the last time, because too much waited already. */
  readonly takeLost: () => number;
  /** All uses since the process began. */
  readonly totals: () => UsageCounts;
}

/** What a use case needs that counts. */
export interface Counting {
  readonly uses: UsageCounter;
}

/** About 20 MB. As many pairs of a profile and a collection are waiting only if nothing could be written for long. */
export const waitingMax = 50_000;

export const createUsageCounter = (now: () => Instant): UsageCounter => {
  const totals: Counts = { ...noUses };
  let waiting: Waiting = new Map();
  let pairs = 0;
  let lost = 0;

  /** A new one begins without uses; null if too many wait. */
  const waitingFor = ({ day, profileId, collectionId, lastUsedAt }: Begun): WaitingUse | null => {
    const known = waiting.get(day)?.get(profileId)?.get(collectionId);
    if (known || pairs >= waitingMax) return known ?? null;
    const use = { day, profileId, collectionId, counts: { ...noUses }, lastUsedAt, keyUsedAt: null };
    innerOf(innerOf(waiting, day), profileId).set(collectionId, use);
    pairs += 1;
    return use;
  };

  const note = ({ profile, via }: UsageCaller, collectionId: CollectionId | null): WaitingUse | null => {
    const at = now();
    const use = waitingFor({ day: dayOf(at), profileId: profile.id, collectionId, lastUsedAt: at });
    if (use) usedAgain(use, at, via === 'key' ? at : null);
    return use;
  };

  return {
    touch(caller) {
      if (isKept(caller)) note(caller, null);
    },

    count(caller, kind, collectionId) {
      if (caller.deadline?.expired) return;
      totals[kind] += 1;
      if (!isKept(caller)) return;
      const use = note(caller, collectionId);
      if (use) use.counts[kind] += 1;
      else lost += 1;
    },

    take() {
      const taken = [...waiting.values()].flatMap((ofDay) => [...ofDay.values()].flatMap((uses) => [...uses.values()]));
      waiting = new Map();
      pairs = 0;
      return taken;
    },

    putBack(uses) {
      for (const back of uses) {
        const use = waitingFor(back);
        if (use) {
          usedAgain(use, back.lastUsedAt, back.keyUsedAt);
          for (const kind of usageKinds) use.counts[kind] += back.counts[kind];
        } else lost += usesIn(back.counts);
      }
    },

    takeLost() {
      const taken = lost;
      lost = 0;
      return taken;
    },

    totals: () => ({ ...totals }),
  };
};

/** Uses are kept by profile. A service account is none, nor is the operator: theirs count in the totals only. */
const isKept = ({ via }: UsageCaller): boolean => via === 'token' || via === 'key';

type Counts = { -readonly [Kind in UsageKind]: number };

interface WaitingUse extends DayUse {
  readonly counts: Counts;
  lastUsedAt: Instant;
  keyUsedAt: Instant | null;
}

type Begun = Omit<DayUse, 'counts' | 'keyUsedAt'>;

/** By day, profile and collection: composing one key of the three would cost ten times as much as three looks. */
type Waiting = Map<Day, Map<ProfileId, Map<CollectionId | null, WaitingUse>>>;

const innerOf = <Key, InnerKey, Value>(outer: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> => {
  const known = outer.get(key);
  if (known) return known;
  const inner = new Map<InnerKey, Value>();
  outer.set(key, inner);
  return inner;
};

/** The clock may have been set back. */
const usedAgain = (use: WaitingUse, at: Instant, byKeyAt: Instant | null): void => {
  use.lastUsedAt = Math.max(use.lastUsedAt, at);
  if (byKeyAt !== null) use.keyUsedAt = Math.max(use.keyUsedAt ?? byKeyAt, byKeyAt);
};
