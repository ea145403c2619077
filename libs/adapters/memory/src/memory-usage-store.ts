import { noUses, nameKey, usageKinds, usesIn } from '@portico/domain';
import type {
  DayUse,
  Instant,
  UsageCounts,
  UsageFilter,
  UsageGrouping,
  UsageLine,
  UsageStore,
  UsageSubject,
} from '@portico/domain';
import { byCodePoints, frozenCopy, type MemoryDatabase } from './memory-database.ts';

export const createMemoryUsageStore = (database: MemoryDatabase): UsageStore => {
  const { uses } = database;

  return {
    async add(newUses) {
      for (const use of newUses.filter((one) => isKnown(database, one))) {
        const key = `${use.day} ${use.profileId} ${use.collectionId}`;
        uses.set(key, frozenCopy(sum(uses.get(key), use)));
      }
    },

    async report(by, filter, limit, order) {
      const groups = new Map<string, { readonly order: string; readonly line: UsageLine }>();
      for (const use of uses.values()) {
        if (!matchesFilter(filter, use) || usesIn(use.counts) === 0) continue;
        const { order: sortKey, of } = subjectOf(database, by, use);
        const counts = sumOf(groups.get(sortKey)?.line.counts ?? noUses, use.counts);
        groups.set(sortKey, { order: sortKey, line: { of, counts } });
      }
      const byUses = (a: UsageLine, b: UsageLine) => (order === 'most' ? usesIn(b.counts) - usesIn(a.counts) : 0);
      const ordered = [...groups.values()].sort((a, b) => byUses(a.line, b.line) || byCodePoints(a.order, b.order));
      return ordered.slice(0, limit).map(({ line }) => line);
    },

    async profileUses(ids) {
      const entries = ids.flatMap((id) => {
        const own = [...uses.values()].filter(({ profileId }) => profileId === id);
        const lastUsedAt = latest(own.map((use) => use.lastUsedAt));
        return lastUsedAt === null
          ? []
          : [[id, { lastUsedAt, keyUsedAt: latest(own.map((use) => use.keyUsedAt)) }] as const];
      });
      return new Map(entries);
    },

    async collectionUses(ids, by) {
      const entries = ids.flatMap((id) => {
        const matches = [...uses.values()].filter(
          ({ collectionId, profileId }) => collectionId === id && (by === null || profileId === by),
        );
        const lastUsedAt = latest(matches.map((use) => use.lastUsedAt));
        return lastUsedAt === null ? [] : [[id, lastUsedAt] as const];
      });
      return new Map(entries);
    },

    async prune(before, limit) {
      const old = [...uses].filter(([, { day }]) => day < before).sort(([, a], [, b]) => a.day - b.day);
      for (const [key] of old.slice(0, limit)) uses.delete(key);
      return Math.min(old.length, limit);
    },
  };
};

const isKnown = ({ profiles, collections }: MemoryDatabase, { profileId, collectionId }: DayUse): boolean =>
  profiles.has(profileId) && (collectionId === null || collections.has(collectionId));

const sum = (before: DayUse | undefined, use: DayUse): DayUse =>
  before
    ? {
        ...use,
        counts: sumOf(before.counts, use.counts),
        lastUsedAt: Math.max(before.lastUsedAt, use.lastUsedAt),
        keyUsedAt: latest([before.keyUsedAt, use.keyUsedAt]),
      }
    : use;

const sumOf = (a: UsageCounts, b: UsageCounts): UsageCounts =>
  Object.fromEntries(usageKinds.map((kind) => [kind, a[kind] + b[kind]])) as UsageCounts;

const latest = (instants: readonly (Instant | null)[]): Instant | null =>
  instants.reduce((last, at) => (at !== null && (last === null || at > last) ? at : last), null);

const matchesFilter = ({ first, end, profileId, collectionId }: UsageFilter, use: DayUse): boolean =>
  use.day >= first &&
  use.day < end &&
  (profileId === null || use.profileId === profileId) &&
  (collectionId === null || use.collectionId === collectionId);

/** Returns the subject by which the use is grouped, and a string to order the groups by. */
const subjectOf = (
  { profiles, collections }: MemoryDatabase,
  by: UsageGrouping,
  { day, profileId, collectionId }: DayUse,
): { readonly order: string; readonly of: UsageSubject } => {
  switch (by) {
    case 'day':
      return { order: String(day).padStart(8, '0'), of: { by, day } };
    case 'collection': {
      const collectionName = (collectionId && collections.get(collectionId)?.name) ?? null;
      const order = collectionName === null ? '1' : `0${nameKey(collectionName)}\0${collectionId}`;
      return { order, of: { by, collectionId, collectionName } };
    }
    case 'profile': {
      const profileEmail = profiles.get(profileId)?.email ?? '';
      return { order: profileEmail, of: { by, profileId, profileEmail } };
    }
  }
};
