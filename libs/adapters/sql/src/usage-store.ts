import type {
  CollectionId,
  DayUse,
  Instant,
  LastUse,
  OperationDayUse,
  OperationUser,
  ProfileId,
  UsageStore,
} from '@portico/domain';
import { operationsPerDayMax } from '@portico/domain';
import type { CollectionDialect } from './collection-reads.ts';
import type { OperationUsageDayEntity, UsageDayEntity } from './entities/usage-entity.ts';
import type { SqlDatabase } from './sql.ts';
import type { Row } from './table.ts';
import { countColumns, createUsageReport } from './usage-report.ts';

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
  const upsertOperationUses = upsertOperationsFrom(objectsInJson);
  const selectProfiles = `select p.id, ${latestOf('last_used_at', 'profile_id = p.id')} as "lastUsedAt",
    ${latestOf('key_used_at', 'profile_id = p.id')} as "keyUsedAt" from profiles p where p.id in (${idsInJson})`;
  const selectByAnyone = `select c.id, ${latestOf('last_used_at', 'collection_id = c.id')} as "lastUsedAt"
    from collections c where c.id in (${idsInJson})`;
  // A profile has few rows, while a collection has rows for all profiles.
  const selectByProfile = `select u.collection_id as id, max(u.last_used_at) as "lastUsedAt" from usage_days u
    where u.profile_id = ? and ${database.disableIndex('u.collection_id')} in (${idsInJson}) group by u.collection_id`;

  const selectOperationUsers = `select distinct u.operation_key as "operationKey", u.profile_id as "profileId"
    from operation_usage_days u
    where u.collection_id = ? and u.operation_key in (${idsInJson}) and u.last_used_at >= ? limit ?`;

  return {
    async add(uses) {
      if (uses.length > 0) await database.write((sql) => sql.run(upsertUses, [JSON.stringify(uses.map(rowOf))]));
    },

    async addOperations(uses) {
      if (uses.length === 0) return;
      const rows = JSON.stringify(uses.map(operationRowOf));
      // Not `write`: concurrent statements would each store operations up to the maximum.
      await database.transact((sql) => sql.run(upsertOperationUses, [rows]));
    },

    report: createUsageReport(database),

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

    listOperationUsers: (collection, operations, since, limit) =>
      database.reads.all<OperationUser>(selectOperationUsers, [collection, JSON.stringify(operations), since, limit]),

    prune: (before, limit) => database.write((sql) => sql.run(pruneOldest, [before, before, limit])),

    pruneOperations: (before, limit) =>
      database.write((sql) => sql.run(pruneOldestOperations, [before, before, limit])),
  };
};

type UsageRow = Row<typeof UsageDayEntity>;

const rowOf = ({ counts, ...use }: DayUse): UsageRow => ({
  ...use,
  subject: use.collectionId ?? '',
  reads: counts.read,
  searches: counts.search,
  slices: counts.slice,
  calls: counts.call,
  credentialReads: counts.credential_read,
  refused: counts.refused,
});

/**
 * Returns one statement that writes all rows. It skips rows of a profile or collection that no longer exists, which a
 * foreign key would reject, and always writes the rows in the same order, so that processes that write concurrently do
 * not deadlock.
 */
const upsertFrom = (objectsInJson: string): string => `insert into usage_days
  (day, profile_id, subject, collection_id, reads, searches, slices, calls, credential_reads, refused, last_used_at, key_used_at)
  select u.* from (select ${numberIn('day')} as day, value ->> 'profileId' as profile_id,
    value ->> 'subject' as subject, value ->> 'collectionId' as collection_id,
    ${numberIn('reads')} as reads, ${numberIn('searches')} as searches, ${numberIn('slices')} as slices,
    ${numberIn('calls')} as calls, ${numberIn('credentialReads')} as credential_reads, ${numberIn('refused')} as refused,
    ${numberIn('lastUsedAt')} as last_used_at, ${numberIn('keyUsedAt')} as key_used_at from ${objectsInJson}) u
  where exists (select 1 from profiles p where p.id = u.profile_id)
    and (u.collection_id is null or exists (select 1 from collections c where c.id = u.collection_id))
  order by u.day, u.profile_id, u.subject
  on conflict (day, profile_id, subject) do update set ${buildIncrements('usage_days', Object.values(countColumns))},
    last_used_at = ${laterOf('usage_days.last_used_at')}, key_used_at = ${laterOf('usage_days.key_used_at')}`;

type OperationUsageRow = Row<typeof OperationUsageDayEntity>;

const operationRowOf = ({ counts, ...use }: OperationDayUse): OperationUsageRow => ({
  ...use,
  slices: counts.slice,
  calls: counts.call,
});

/**
 * Like `upsertFrom`, for operations: rows that exist are updated, and as many are inserted as the profile may have on
 * that day. The rows of each profile and day are counted once.
 */
const upsertOperationsFrom = (objectsInJson: string): string => `with
  u as materialized (select ${numberIn('day')} as day, value ->> 'profileId' as profile_id,
    value ->> 'collectionId' as collection_id, value ->> 'operationKey' as operation_key,
    ${numberIn('slices')} as slices, ${numberIn('calls')} as calls,
    ${numberIn('lastUsedAt')} as last_used_at from ${objectsInJson}),
  stored as materialized (select d.day, d.profile_id,
    (select count(*) from operation_usage_days s where s.day = d.day and s.profile_id = d.profile_id) as operations
    from (select distinct day, profile_id from u) d),
  ranked as (select u.*, s.day is null as is_new, row_number() over (
      partition by u.day, u.profile_id, s.day is null order by u.collection_id, u.operation_key) as place
    from u left join operation_usage_days s on s.day = u.day and s.profile_id = u.profile_id
      and s.collection_id = u.collection_id and s.operation_key = u.operation_key
    where exists (select 1 from profiles p where p.id = u.profile_id)
      and exists (select 1 from collections c where c.id = u.collection_id))
  insert into operation_usage_days (day, profile_id, collection_id, operation_key, slices, calls, last_used_at)
  select r.day, r.profile_id, r.collection_id, r.operation_key, r.slices, r.calls, r.last_used_at
    from ranked r join stored t on t.day = r.day and t.profile_id = r.profile_id
  where not r.is_new or t.operations + r.place <= ${operationsPerDayMax}
  order by r.day, r.profile_id, r.collection_id, r.operation_key
  on conflict (day, profile_id, collection_id, operation_key) do update set
    ${buildIncrements('operation_usage_days', ['slices', 'calls'])},
    last_used_at = ${laterOf('operation_usage_days.last_used_at')}`;

const numberIn = (name: string): string => `cast(value ->> '${name}' as bigint)`;

const buildIncrements = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ');

/** Returns SQL for the later of a stored and a new time, either of which can be null. */
const laterOf = (column: string): string => {
  const newTime = column.replace(/.*\./, 'excluded.');
  return `case when ${column} is null or ${newTime} > ${column} then ${newTime} else ${column} end`;
};

/** Returns SQL for the latest value of a column. It reads only the end of an index. */
const latestOf = (column: string, condition: string): string =>
  `(select max(u.${column}) from usage_days u where u.${condition})`;

interface LastUseRow<Id> {
  readonly id: Id;
  readonly lastUsedAt: Instant | null;
  readonly keyUsedAt: Instant | null;
}

const isUsed = (use: Omit<LastUseRow<never>, 'id'>): use is LastUse => use.lastUsedAt !== null;

const pruneOldest = `delete from usage_days where day < ? and (day, profile_id, subject) in
  (select day, profile_id, subject from usage_days where day < ? order by day, profile_id, subject limit ?)`;

const pruneOldestOperations = `delete from operation_usage_days
  where day < ? and (day, profile_id, collection_id, operation_key) in
    (select day, profile_id, collection_id, operation_key from operation_usage_days where day < ?
      order by day, profile_id, collection_id, operation_key limit ?)`;
