import { noUses, operationsPerDayMax, toNameKey, usageKinds, sumUses } from '@portico/domain';
import type {
  Day,
  DayUse,
  Instant,
  OperationDayUse,
  OperationSubject,
  UsageCounts,
  UsageFilter,
  UsageGrouping,
  UsageLine,
  UsageStore,
  UsageSubject,
} from '@portico/domain';
import { compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryUsageStore = (database: MemoryDatabase): UsageStore => {
  const { uses, operationUses } = database;

  return {
    async add(newUses) {
      for (const use of newUses.filter((newUse) => isKnown(database, newUse))) {
        const key = `${use.day} ${use.profileId} ${use.collectionId}`;
        uses.set(key, copyFrozen(addUse(uses.get(key), use)));
      }
    },

    async addOperations(newUses) {
      for (const use of newUses.filter((newUse) => isKnown(database, newUse))) {
        const key = `${use.day} ${use.profileId} ${use.collectionId} ${use.operationKey}`;
        const previousUse = operationUses.get(key);
        if (previousUse || hasRoom(operationUses, use))
          operationUses.set(key, copyFrozen(addOperationUse(previousUse, use)));
      }
    },

    async report(grouping, filter, limit, order) {
      const groups = new Map<string, { readonly order: string; readonly line: UsageLine }>();
      const countUse = (use: UseCounts, { order: sortKey, subject }: SortedSubject) => {
        if (!matchesFilter(filter, use) || sumUses(use.counts) === 0) return;
        const counts = sumOf(groups.get(sortKey)?.line.counts ?? noUses, use.counts);
        groups.set(sortKey, { order: sortKey, line: { subject, counts } });
      };
      if (grouping === 'operation')
        for (const use of operationUses.values())
          countUse({ ...use, counts: { ...noUses, ...use.counts } }, operationSubjectOf(database, use));
      else for (const use of uses.values()) countUse(use, subjectOf(database, grouping, use));
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

    listOperationUsers: createOperationUsersList(operationUses),

    prune: async (before, limit) => pruneOldest(uses, before, limit),

    pruneOperations: async (before, limit) => pruneOldest(operationUses, before, limit),
  };
};

const createOperationUsersList =
  (uses: ReadonlyMap<string, OperationDayUse>): UsageStore['listOperationUsers'] =>
  async (collection, operations, since, limit) => {
    const users = [...uses.values()]
      .filter(
        ({ collectionId, operationKey, lastUsedAt }) =>
          collectionId === collection && operations.includes(operationKey) && lastUsedAt >= since,
      )
      .map(({ operationKey, profileId }) => ({ operationKey, profileId }));
    return [...new Map(users.map((user) => [`${user.operationKey} ${user.profileId}`, user])).values()].slice(0, limit);
  };

type UseCounts = Pick<DayUse, 'day' | 'profileId' | 'collectionId' | 'counts'>;

const isKnown = (
  { profiles, collections }: MemoryDatabase,
  { profileId, collectionId }: Pick<DayUse, 'profileId' | 'collectionId'>,
): boolean => profiles.has(profileId) && (collectionId === null || collections.has(collectionId));

/** Whether another operation may be counted for the profile on that day. */
const hasRoom = (
  uses: ReadonlyMap<string, OperationDayUse>,
  { day, profileId }: Pick<OperationDayUse, 'day' | 'profileId'>,
): boolean =>
  [...uses.values()].filter((use) => use.day === day && use.profileId === profileId).length < operationsPerDayMax;

const addOperationUse = (previousUse: OperationDayUse | undefined, use: OperationDayUse): OperationDayUse => ({
  ...use,
  counts: {
    slice: (previousUse?.counts.slice ?? 0) + use.counts.slice,
    call: (previousUse?.counts.call ?? 0) + use.counts.call,
  },
  lastUsedAt: Math.max(previousUse?.lastUsedAt ?? use.lastUsedAt, use.lastUsedAt),
});

const pruneOldest = (uses: Map<string, { readonly day: Day }>, before: Day, limit: number): number => {
  const oldUses = [...uses].filter(([, { day }]) => day < before).sort(([, a], [, b]) => a.day - b.day);
  for (const [key] of oldUses.slice(0, limit)) uses.delete(key);
  return Math.min(oldUses.length, limit);
};

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

const matchesFilter = ({ first, end, profileId, collectionId }: UsageFilter, use: UseCounts): boolean =>
  use.day >= first &&
  use.day < end &&
  (profileId === null || use.profileId === profileId) &&
  (collectionId === null || use.collectionId === collectionId);

/** A subject, and a string to order the subjects by. */
interface SortedSubject {
  readonly order: string;
  readonly subject: UsageSubject;
}

/** Returns the subject by which the use is grouped. */
const subjectOf = (
  { profiles, collections }: MemoryDatabase,
  grouping: Exclude<UsageGrouping, 'operation'>,
  { day, profileId, collectionId }: DayUse,
): SortedSubject => {
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

const operationSubjectOf = (
  { collections, operations }: MemoryDatabase,
  { collectionId, operationKey }: OperationDayUse,
): SortedSubject & { readonly subject: OperationSubject } => {
  const collectionName = collections.get(collectionId)?.name ?? '';
  const { operations: documented = [] } = operations.get(collectionId) ?? {};
  const position = documented.findIndex(({ key }) => key === operationKey);
  const { method = null, path = null } = documented[position] ?? {};
  const place = position < 0 ? '~' : String(position).padStart(8, '0');
  return {
    order: [toNameKey(collectionName), collectionId, place, operationKey].join('\0'),
    subject: { by: 'operation', operationKey, method, path, collectionId, collectionName },
  };
};
