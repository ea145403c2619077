import { noUses, toNameKey, usageKinds, sumUses } from '@portico/domain';
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
import { compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryUsageStore = (database: MemoryDatabase): UsageStore => {
  const { uses } = database;

  return {
    async add(newUses) {
      for (const use of newUses.filter((newUse) => isKnown(database, newUse))) {
        const key = `${use.day} ${use.profileId} ${use.collectionId}`;
        uses.set(key, copyFrozen(addUse(uses.get(key), use)));
      }
    },

    async report(grouping, filter, limit, order) {
      const groups = new Map<string, { readonly order: string; readonly line: UsageLine }>();
      for (const use of uses.values()) {
        if (!matchesFilter(filter, use) || sumUses(use.counts) === 0) continue;
        const { order: sortKey, subject } = subjectOf(database, grouping, use);
        const counts = sumOf(groups.get(sortKey)?.line.counts ?? noUses, use.counts);
        groups.set(sortKey, { order: sortKey, line: { subject, counts } });
      }
      const compareUses = (a: UsageLine, b: UsageLine) =>
        order === 'most' ? sumUses(b.counts) - sumUses(a.counts) : 0;
      const sortedGroups = [...groups.values()].sort(
        (a, b) => compareUses(a.line, b.line) || compareCodePoints(a.order, b.order),
      );
      return sortedGroups.slice(0, limit).map(({ line }) => line);
    },

    async findProfileUses(ids) {
      const entries = ids.flatMap((id) => {
        const ownUses = [...uses.values()].filter(({ profileId }) => profileId === id);
        const lastUsedAt = latestOf(ownUses.map((use) => use.lastUsedAt));
        return lastUsedAt === null
          ? []
          : [[id, { lastUsedAt, keyUsedAt: latestOf(ownUses.map((use) => use.keyUsedAt)) }] as const];
      });
      return new Map(entries);
    },

    async findCollectionUses(ids, byProfileId) {
      const entries = ids.flatMap((id) => {
        const matches = [...uses.values()].filter(
          ({ collectionId, profileId }) => collectionId === id && (byProfileId === null || profileId === byProfileId),
        );
        const lastUsedAt = latestOf(matches.map((use) => use.lastUsedAt));
        return lastUsedAt === null ? [] : [[id, lastUsedAt] as const];
      });
      return new Map(entries);
    },

    async prune(before, limit) {
      const oldUses = [...uses].filter(([, { day }]) => day < before).sort(([, a], [, b]) => a.day - b.day);
      for (const [key] of oldUses.slice(0, limit)) uses.delete(key);
      return Math.min(oldUses.length, limit);
    },
  };
};

const isKnown = ({ profiles, collections }: MemoryDatabase, { profileId, collectionId }: DayUse): boolean =>
  profiles.has(profileId) && (collectionId === null || collections.has(collectionId));

const addUse = (previousUse: DayUse | undefined, use: DayUse): DayUse =>
  previousUse
    ? {
        ...use,
        counts: sumOf(previousUse.counts, use.counts),
        lastUsedAt: Math.max(previousUse.lastUsedAt, use.lastUsedAt),
        keyUsedAt: latestOf([previousUse.keyUsedAt, use.keyUsedAt]),
      }
    : use;

const sumOf = (a: UsageCounts, b: UsageCounts): UsageCounts =>
  Object.fromEntries(usageKinds.map((kind) => [kind, a[kind] + b[kind]])) as UsageCounts;

const latestOf = (instants: readonly (Instant | null)[]): Instant | null =>
  instants.reduce(
    (latest, instant) => (instant !== null && (latest === null || instant > latest) ? instant : latest),
    null,
  );

const matchesFilter = ({ first, end, profileId, collectionId }: UsageFilter, use: DayUse): boolean =>
  use.day >= first &&
  use.day < end &&
  (profileId === null || use.profileId === profileId) &&
  (collectionId === null || use.collectionId === collectionId);

/** Returns the subject by which the use is grouped, and a string to order the groups by. */
const subjectOf = (
  { profiles, collections }: MemoryDatabase,
  grouping: UsageGrouping,
  { day, profileId, collectionId }: DayUse,
): { readonly order: string; readonly subject: UsageSubject } => {
  switch (grouping) {
    case 'day':
      return { order: String(day).padStart(8, '0'), subject: { by: grouping, day } };
    case 'collection': {
      const collectionName = (collectionId && collections.get(collectionId)?.name) ?? null;
      const order = collectionName === null ? '1' : `0${toNameKey(collectionName)}\0${collectionId}`;
      return { order, subject: { by: grouping, collectionId, collectionName } };
    }
    case 'profile': {
      const profileEmail = profiles.get(profileId)?.email ?? '';
      return { order: profileEmail, subject: { by: grouping, profileId, profileEmail } };
    }
  }
};
