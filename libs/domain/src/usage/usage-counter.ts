import type { Principal } from '../access/principal.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import { dayOf, type DayUse, noUses, type UsageCounts, type UsageKind, usageKinds, usesIn } from './usage.ts';

/** Who uses something: a principal. */
export type UsageCaller = Pick<Principal, 'profile' | 'via' | 'deadline'>;

/** Counts uses in memory until they are written: a use costs one look into a map. */
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
  let waiting = new Map<string, WaitingUse>();
  let lost = 0;

  /** Null if too many wait. */
  const waitingFor = (key: string, start: () => WaitingUse): WaitingUse | null => {
    const known = waiting.get(key);
    if (known) return known;
    if (waiting.size >= waitingMax) return null;
    const begun = start();
    waiting.set(key, begun);
    return begun;
  };

  const note = ({ profile, via }: UsageCaller, collectionId: CollectionId | null): WaitingUse | null => {
    const at = now();
    const day = dayOf(at);
    const use = waitingFor(keyOf(day, profile.id, collectionId), () => ({
      ...{ day, profileId: profile.id, collectionId },
      ...{ counts: { ...noUses }, lastUsedAt: at, keyUsedAt: null },
    }));
    if (use) usedAgain(use, at, via === 'key' ? at : null);
    return use;
  };

  return {
    touch: (caller) => void note(caller, null),

    count(caller, kind, collectionId) {
      if (caller.deadline?.expired) return;
      totals[kind] += 1;
      const use = note(caller, collectionId);
      if (use) use.counts[kind] += 1;
      else lost += 1;
    },

    take() {
      const taken = [...waiting.values()];
      waiting = new Map();
      return taken;
    },

    putBack(uses) {
      for (const { counts, lastUsedAt, keyUsedAt, ...of } of uses) {
        const key = keyOf(of.day, of.profileId, of.collectionId);
        const use = waitingFor(key, () => ({ ...of, counts: { ...noUses }, lastUsedAt, keyUsedAt }));
        if (use) {
          usedAgain(use, lastUsedAt, keyUsedAt);
          for (const kind of usageKinds) use.counts[kind] += counts[kind];
        } else lost += usesIn(counts);
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

type Counts = { -readonly [Kind in UsageKind]: number };

interface WaitingUse extends DayUse {
  readonly counts: Counts;
  lastUsedAt: Instant;
  keyUsedAt: Instant | null;
}

const keyOf = (day: number, profileId: ProfileId, collectionId: CollectionId | null): string =>
  `${day} ${profileId} ${collectionId ?? ''}`;

/** The clock may have been set back. */
const usedAgain = (use: WaitingUse, at: Instant, byKeyAt: Instant | null): void => {
  use.lastUsedAt = Math.max(use.lastUsedAt, at);
  if (byKeyAt !== null) use.keyUsedAt = Math.max(use.keyUsedAt ?? byKeyAt, byKeyAt);
};
