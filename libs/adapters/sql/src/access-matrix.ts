import {
  type AccessMatrix,
  type CollectionId,
  type GroupId,
  type Instant,
  type MatrixFilter,
  type MatrixCursor,
  type MatrixRow,
  type ProfileId,
} from '@portico/domain';
import type { CollectionDialect } from './collection-reads.ts';
import { isLive } from './memberships.ts';
import { toEmailParameters, selectIdByEmail } from './profile-store.ts';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import { ruleOf } from './rule-record.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';
import { buildColumns } from './table.ts';

export const createSqlAccessMatrix = (
  { reads }: Pick<SqlDatabase, 'reads'>,
  { idsInJson }: Pick<CollectionDialect, 'idsInJson'>,
): AccessMatrix => ({
  async listRows(filter, after, limit) {
    const rows: MatrixRow[] = [];
    let lowerBound: readonly Condition[] = after ? [['p.email >= ?', after.email]] : [];
    for (let size = firstBatchSize; rows.length < limit; size = Math.min(size * 4, batchSizeMax)) {
      const batch = await readClients(reads, [...buildClientConditions(filter), ...lowerBound], size);
      if (!batch) break;
      rows.push(...(await rowsOf(reads, batch, filter, after, limit - rows.length)));
      if (batch.clients < size) break;
      lowerBound = [['p.email > ?', batch.lastEmail]];
    }
    return rows;
  },

  async findKeyExpiries(profileIds) {
    const text = `${selectExpiries} and id in (${idsInJson})`;
    const expiries = await reads.all<{ id: ProfileId; keyExpiresAt: Instant }>(text, [JSON.stringify(profileIds)]);
    return new Map(expiries.map(({ id, keyExpiresAt }) => [id, keyExpiresAt]));
  },
});

/**
 * Rows are read and sorted in batches of clients, in the order of the clients' email addresses: sorting all rows for
 * each page would become slower as the number of rows grows. Batches get larger for filters that match few clients.
 */
const firstBatchSize = 64;
const batchSizeMax = 4_096;

type Condition = readonly [sql: string, ...parameters: readonly Value[]];

const textOf = (conditions: readonly Condition[]): string => conditions.map(([text]) => ` and ${text}`).join('');
const parametersOf = (conditions: readonly Condition[]): readonly Value[] =>
  conditions.flatMap(([, ...parameters]) => parameters);

const buildClientConditions = ({ profile }: MatrixFilter): readonly Condition[] => {
  if (profile === null) return [];
  if (profile.by === 'id') return [['p.id = ?', profile.id]];
  return [[`p.id = (${selectIdByEmail})`, ...toEmailParameters(profile.name)]];
};

const buildRowConditions = ({ group, collection, expiringBefore, liveAt }: MatrixFilter): readonly Condition[] => {
  const conditions: Condition[] = [];
  if (group) conditions.push(group.by === 'id' ? ['w.group_id = ?', group.id] : ['w.group_name = ?', group.name]);
  if (collection)
    conditions.push(collection.by === 'id' ? ['c.id = ?', collection.id] : ['c.name = ?', collection.name]);
  if (expiringBefore !== null) conditions.push(['w.expires_at < ?', expiringBefore]);
  if (liveAt !== null) conditions.push([isLive('w'), liveAt]);
  return conditions;
};

/**
 * Written out as separate comparisons, because neither database uses an index to compare row values whose columns come
 * from several tables.
 */
const isAfter = ({ email, nameKey, collectionId, groupName }: MatrixCursor): Condition => [
  `(p.email > ? or (p.email = ? and (c.name_key > ? or (c.name_key = ? and (c.id > ?
    or (c.id = ? and coalesce(w.group_name, '') > ?))))))`,
  ...[email, email, nameKey, nameKey, collectionId, collectionId, groupName],
];

interface ClientBatch {
  readonly firstEmail: string;
  readonly lastEmail: string;
  readonly clients: number;
}

/** Returns the next batch of clients by email address, or null if there are no more. */
const readClients = async (sql: Sql, conditions: readonly Condition[], size: number): Promise<ClientBatch | null> => {
  const batch = await sql.first<{ first: string | null; last: string | null; clients: number }>(
    `select min(r.email) as first, max(r.email) as last, count(*) as clients from (
      select p.email from profiles p where p.role = 'client'${textOf(conditions)} order by p.email limit ?) r`,
    [...parametersOf(conditions), size],
  );
  return batch && batch.first !== null && batch.last !== null
    ? { firstEmail: batch.first, lastEmail: batch.last, clients: batch.clients }
    : null;
};

interface RowColumns extends ProfileColumns {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  readonly groupId: GroupId | null;
  readonly groupName: string | null;
  readonly grantedAt: Instant;
  readonly expiresAt: Instant | null;
  readonly rule: string | null;
}

const rowsOf = async (
  sql: Sql,
  { firstEmail, lastEmail }: ClientBatch,
  filter: MatrixFilter,
  after: MatrixCursor | null,
  limit: number,
): Promise<readonly MatrixRow[]> => {
  const range: readonly Condition[] = [
    ['p.email >= ?', firstEmail],
    ['p.email <= ?', lastEmail],
    ...buildClientConditions(filter),
  ];
  const conditions = [...buildRowConditions(filter), ...(after ? [isAfter(after)] : [])];
  const rows = await sql.all<RowColumns>(
    `with clients as (select p.id from profiles p where p.role = 'client'${textOf(range)}),
      members as (
        select m.profile_id, m.group_id from clients s join group_members m on m.profile_id = s.id
        union select k.profile_id, r.id from clients s join claimed_groups k on k.profile_id = s.id
          join access_groups r on r.name = k.name),
      ways as (
        select g.profile_id, g.collection_id, null as group_id, null as group_name, g.granted_at, g.expires_at, g.rule
          from clients s join grants g on g.profile_id = s.id
        union all select m.profile_id, g.collection_id, r.id, r.name, g.granted_at, g.expires_at, g.rule
          from members m join access_groups r on r.id = m.group_id join group_grants g on g.group_id = r.id)
    select ${buildColumns('p', profileColumns)}, c.id as "collectionId", c.name as "collectionName",
      ${buildColumns('w', ['groupId', 'groupName', 'grantedAt', 'expiresAt', 'rule'])}
    from ways w join profiles p on p.id = w.profile_id join collections c on c.id = w.collection_id
    where p.role = 'client'${textOf(conditions)}
    order by p.email, c.name_key, c.id, coalesce(w.group_name, '') limit ?`,
    [...parametersOf(range), ...parametersOf(conditions), limit],
  );
  return rows.map(rowOf);
};

const rowOf = (row: RowColumns): MatrixRow => ({
  client: profileOf(row),
  collection: { id: row.collectionId, name: row.collectionName },
  grant: {
    group: row.groupId === null || row.groupName === null ? null : { id: row.groupId, name: row.groupName },
    grantedAt: row.grantedAt,
    expiresAt: row.expiresAt,
    rule: ruleOf(row.rule),
  },
});

const selectExpiries = `select id, key_expires_at as "keyExpiresAt" from profiles where key_expires_at is not null`;
