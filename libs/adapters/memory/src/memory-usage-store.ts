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
import { byCodePoints, kept, type MemoryDatabase } from './memory-database.ts';

export const createMemoryUsageStore = (database: MemoryDatabase): UsageStore => {
  const { uses } = database;

  return {
    async add(added) {
      for (const use of added.filter((one) => isAbout(database, one))) {
        const key = `${use.day} ${use.profileId} ${use.collectionId}`;
        uses.set(key, kept(sum(uses.get(key), use)));
      }
    },

    async report(by, filter, limit, order) {
      const groups = new Map<string, { readonly order: string; readonly line: UsageLine }>();
      for (const use of uses.values()) {
        if (!isUnder(filter, use) || usesIn(use.counts) === 0) continue;
        const { order: place, of } = subjectOf(database, by, use);
        const counts = sumOf(groups.get(place)?.line.counts ?? noUses, use.counts);
        groups.set(place, { order: place, line: { of, counts } });
      }
      const more = (a: UsageLine, b: UsageLine) => (order === 'most' ? usesIn(b.counts) - usesIn(a.counts) : 0);
      const ordered = [...groups.values()].sort((a, b) => more(a.line, b.line) || byCodePoints(a.order, b.order));
      return ordered.slice(0, limit).map(({ line }) => line);
    },

    async profileUses(ids) {
      const found = ids.flatMap((id) => {
        const own = [...uses.values()].filter(({ profileId }) => profileId === id);
        const lastUsedAt = latest(own.map((use) => use.lastUsedAt));
        return lastUsedAt === null
          ? []
          : [[id, { lastUsedAt, keyUsedAt: latest(own.map((use) => use.keyUsedAt)) }] as const];
      });
      return new Map(found);
    },

    async collectionUses(ids, by) {
      const found = ids.flatMap((id) => {
        const of = [...uses.values()].filter(
          ({ collectionId, profileId }) => collectionId === id && (by === null || profileId === by),
        );
        const lastUsedAt = latest(of.map((use) => use.lastUsedAt));
        return lastUsedAt === null ? [] : [[id, lastUsedAt] as const];
      });
      return new Map(found);
    },

    async prune(before, limit) {
      const old = [...uses].filter(([, { day }]) => day < before).sort(([, a], [, b]) => a.day - b.day);
      for (const [key] of old.slice(0, limit)) uses.delete(key);
      return Math.min(old.length, limit);
    },
  };
};

const isAbout = ({ profiles, collections }: MemoryDatabase, { profileId, collectionId }: DayUse): boolean =>
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

const isUnder = ({ first, end, profileId, collectionId }: UsageFilter, use: DayUse): boolean =>
  use.day >= first &&
  use.day < end &&
  (profileId === null || use.profileId === profileId) &&
  (collectionId === null || use.collectionId === collectionId);

/** What the use is grouped under, and a text that orders the groups. */
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
