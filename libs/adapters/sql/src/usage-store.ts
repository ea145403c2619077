import type {
  CollectionId,
  DayUse,
  Instant,
  LastUse,
  ProfileId,
  UsageCounts,
  UsageFilter,
  UsageGrouping,
  UsageLine,
  UsageOrder,
  UsageStore,
  UsageSubject,
} from '@portico/domain';
import type { CollectionDialect } from './collection-reads.ts';
import type { UsageDayEntity } from './entities/usage-entity.ts';
import type { SqlDatabase, Value } from './sql.ts';
import type { Row } from './table.ts';

/** The parts that differ between the dialects. */
export interface UsageDialect {
  /** A table of the objects in the JSON array passed as its `?`, in a column named `value`. */
  readonly objectsInJson: string;
}

export const createSqlUsageStore = (
  database: SqlDatabase,
  { objectsInJson, idsInJson }: UsageDialect & Pick<CollectionDialect, 'idsInJson'>,
): UsageStore => {
  const upsertUses = upsertFrom(objectsInJson);
  const selectProfiles = `select p.id, ${latestOf('last_used_at', 'profile_id = p.id')} as "lastUsedAt",
    ${latestOf('key_used_at', 'profile_id = p.id')} as "keyUsedAt" from profiles p where p.id in (${idsInJson})`;
  const selectByAnyone = `select c.id, ${latestOf('last_used_at', 'collection_id = c.id')} as "lastUsedAt"
    from collections c where c.id in (${idsInJson})`;
  // A profile has few rows, while a collection has rows for all profiles.
  const selectByProfile = `select u.collection_id as id, max(u.last_used_at) as "lastUsedAt" from usage_days u
    where u.profile_id = ? and ${database.disableIndex('u.collection_id')} in (${idsInJson}) group by u.collection_id`;

  return {
    async add(uses) {
      if (uses.length > 0) await database.write((sql) => sql.run(upsertUses, [JSON.stringify(uses.map(rowOf))]));
    },

    async report(grouping, filter, limit, order) {
      const { text, parameters } = reportOf(grouping, filter, order);
      const rows = await database.reads.all<ReportRow>(text, [...parameters, limit]);
      return rows.map((row): UsageLine => ({ subject: groupings[grouping].toSubject(row), counts: countsOf(row) }));
    },

    async findProfileUses(ids) {
      const rows = await database.reads.all<LastUseRow<ProfileId>>(selectProfiles, [JSON.stringify(ids)]);
      return new Map(rows.flatMap(({ id, ...use }) => (isUsed(use) ? [[id, use] as const] : [])));
    },

    async findCollectionUses(ids, profileId) {
      const [text, profileParameters] = profileId === null ? [selectByAnyone, []] : [selectByProfile, [profileId]];
      const rows = await database.reads.all<LastUseRow<CollectionId>>(text, [
        ...profileParameters,
        JSON.stringify(ids),
      ]);
      return new Map(rows.flatMap(({ id, ...use }) => (isUsed(use) ? [[id, use.lastUsedAt] as const] : [])));
    },

    prune: (before, limit) => database.write((sql) => sql.run(pruneOldest, [before, before, limit])),
  };
};

type UsageRow = Row<typeof UsageDayEntity>;

const rowOf = ({ counts, ...use }: DayUse): UsageRow => ({
  ...use,
  subject: use.collectionId ?? '',
  reads: counts.read,
  searches: counts.search,
  slices: counts.slice,
  credentialReads: counts.credential_read,
  refused: counts.refused,
});

/**
 * Returns one statement that writes all rows. It skips rows of a profile or collection that no longer exists, which a
 * foreign key would reject, and always writes the rows in the same order, so that processes that write concurrently do
 * not deadlock.
 */
const upsertFrom = (objectsInJson: string): string => `insert into usage_days
  (day, profile_id, subject, collection_id, reads, searches, slices, credential_reads, refused, last_used_at, key_used_at)
  select u.* from (select ${numberIn('day')} as day, value ->> 'profileId' as profile_id,
    value ->> 'subject' as subject, value ->> 'collectionId' as collection_id,
    ${numberIn('reads')} as reads, ${numberIn('searches')} as searches, ${numberIn('slices')} as slices,
    ${numberIn('credentialReads')} as credential_reads, ${numberIn('refused')} as refused,
    ${numberIn('lastUsedAt')} as last_used_at, ${numberIn('keyUsedAt')} as key_used_at from ${objectsInJson}) u
  where exists (select 1 from profiles p where p.id = u.profile_id)
    and (u.collection_id is null or exists (select 1 from collections c where c.id = u.collection_id))
  order by u.day, u.profile_id, u.subject
  on conflict (day, profile_id, subject) do update set ${countColumns.map(increment).join(', ')},
    last_used_at = ${laterOf('last_used_at')}, key_used_at = ${laterOf('key_used_at')}`;

const numberIn = (name: string): string => `cast(value ->> '${name}' as bigint)`;
const countColumns = ['reads', 'searches', 'slices', 'credential_reads', 'refused'] as const;
const increment = (column: string): string => `${column} = usage_days.${column} + excluded.${column}`;
const laterOf = (column: string): string => `case when usage_days.${column} is null
  or excluded.${column} > usage_days.${column} then excluded.${column} else usage_days.${column} end`;

/** Returns SQL for the latest value of a column. It reads only the end of an index. */
const latestOf = (column: string, condition: string): string =>
  `(select max(u.${column}) from usage_days u where u.${condition})`;

interface LastUseRow<Id> {
  readonly id: Id;
  readonly lastUsedAt: Instant | null;
  readonly keyUsedAt: Instant | null;
}

const isUsed = (use: Omit<LastUseRow<never>, 'id'>): use is LastUse => use.lastUsedAt !== null;

interface ReportRow {
  readonly day: number;
  readonly collectionId: CollectionId | null;
  readonly collectionName: string | null;
  readonly profileId: ProfileId;
  readonly profileEmail: string;
  readonly reads: number;
  readonly searches: number;
  readonly slices: number;
  readonly credentialReads: number;
  readonly refused: number;
}

interface Grouping {
  /**
   * The column to group by, the columns of each group with the table that contains them, and the order of the groups.
   */
  readonly key: string;
  readonly columns: string;
  readonly join: string;
  readonly order: string;
  readonly toSubject: (row: ReportRow) => UsageSubject;
}

const groupings: Readonly<Record<UsageGrouping, Grouping>> = {
  day: { key: 'day', columns: 'g.day', join: '', order: 'g.day', toSubject: ({ day }) => ({ by: 'day', day }) },
  collection: {
    key: 'collection_id',
    columns: 'g.collection_id as "collectionId", c.name as "collectionName"',
    join: 'left join collections c on c.id = g.collection_id',
    order: 'g.collection_id is null, c.name_key, g.collection_id',
    toSubject: ({ collectionId, collectionName }) => ({ by: 'collection', collectionId, collectionName }),
  },
  profile: {
    key: 'profile_id',
    columns: 'g.profile_id as "profileId", p.email as "profileEmail"',
    join: 'join profiles p on p.id = g.profile_id',
    order: 'p.email',
    toSubject: ({ profileId, profileEmail }) => ({ by: 'profile', profileId, profileEmail }),
  },
};

/** Returns the statement of a report. There are only a few different statements, because none contains data. */
const reportOf = (
  grouping: UsageGrouping,
  { first, end, profileId, collectionId }: UsageFilter,
  sortOrder: UsageOrder = 'subject',
): { readonly text: string; readonly parameters: readonly Value[] } => {
  const { key, columns, join, order } = groupings[grouping];
  const conditions: readonly (readonly [condition: string, value: Value])[] = [
    ['u.day >= ?', first],
    ['u.day < ?', end],
    ...(profileId === null ? [] : [['u.profile_id = ?', profileId] as const]),
    ...(collectionId === null ? [] : [['u.collection_id = ?', collectionId] as const]),
  ];
  // Sums first and looks up names afterwards: there are many more counts than subjects.
  return {
    text: `select ${columns}, ${sumColumns} from (
        select u.${key}, ${sums} from usage_days u where ${conditions.map(([text]) => text).join(' and ')}
        group by u.${key} having ${countColumns.map((column) => `sum(u.${column})`).join(' + ')} > 0) g
      ${join} order by ${sortOrder === 'most' ? `${usesOfGroup} desc, ` : ''}${order} limit ?`,
    parameters: conditions.map(([, value]) => value),
  };
};

const sums = countColumns.map((column) => `cast(sum(u.${column}) as bigint) as ${column}`).join(', ');
const usesOfGroup = countColumns.map((column) => `g.${column}`).join(' + ');
const sumColumns = 'g.reads, g.searches, g.slices, g.credential_reads as "credentialReads", g.refused';

const countsOf = ({ reads, searches, slices, credentialReads, refused }: ReportRow): UsageCounts => ({
  read: reads,
  search: searches,
  slice: slices,
  credential_read: credentialReads,
  refused,
});

const pruneOldest = `delete from usage_days where day < ? and (day, profile_id, subject) in
  (select day, profile_id, subject from usage_days where day < ? order by day, profile_id, subject limit ?)`;
