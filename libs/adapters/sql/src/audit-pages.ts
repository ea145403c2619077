import { type AuditEntry, type AuditFilter, dayMs, dayOf } from '@portico/domain';
import { auditColumns, type AuditPosition, type AuditRow, entryOf } from './audit-record.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns } from './table.ts';

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
}

/**
 * Returns a page and a total that are consistent with each other. A single statement that reads both needs no
 * transaction.
 */
export const readPage = (
  database: SqlDatabase,
  filter: AuditFilter,
  offset: number,
  limit: number,
): Promise<AuditPage> =>
  hasFields(filter) || offset < limit
    ? readPageWithTotal(database, filter, offset, limit)
    : database.withSnapshot((sql) => readCountedPage(sql, filter.source, offset, limit));

/** Returns the highest `seq`, or 0 if there are no entries. */
export const readLastSeq = async (sql: Sql): Promise<number> =>
  (await sql.first<{ seq: number | null }>('select max(seq) as seq from audit_entries'))?.seq ?? 0;

/** Returns the entries that come after `after` and whose `seq` is at most `lastSeq`, in page order. */
export const readBatch = (
  database: SqlDatabase,
  filter: AuditFilter,
  lastSeq: number,
  after: AuditPosition | null,
  limit: number,
): Promise<readonly AuditRow[]> => {
  const { where, parameters } = conditionsOf(filter, database);
  const afterCondition = after ? 'and (a.instant, a.seq) < (?, ?)' : '';
  const text = `${selectEntries} ${where} and a.seq <= ? ${afterCondition} ${newestFirst} limit ?`;
  return database.reads.all<AuditRow>(text, [
    ...parameters,
    lastSeq,
    ...(after ? [after.instant, after.seq] : []),
    limit,
  ]);
};

/** A filter as SQL: the conditions on an entry, and the values for their `?` parameters. */
interface Conditions {
  readonly where: string;
  readonly parameters: readonly Parameter[];
}
type Parameter = string | number;

const selectEntries = `select ${buildColumns('a', auditColumns)} from audit_entries a`;
const countEntries = 'select count(*) as total from audit_entries a';
const newestFirst = 'order by a.instant desc, a.seq desc';
const oldestFirst = 'order by a.instant, a.seq';

/**
 * Reads the page and the total in one statement; an empty page yields a single row that contains only the total.
 * Entries before the page are skipped in an index: if PostgreSQL read each of those entries, a deep page would take
 * half a second.
 */
const readPageWithTotal = async (
  database: SqlDatabase,
  filter: AuditFilter,
  offset: number,
  limit: number,
): Promise<AuditPage> => {
  const { where, parameters } = conditionsOf(filter, database);
  const count = countQueryOf(filter, { where, parameters });
  const selectSeqs = `select a.seq from audit_entries a ${where} ${newestFirst} limit ? offset ?`;
  const page = `${selectEntries} where a.seq in (${selectSeqs})`;
  const rows = await database.reads.all<(AuditRow | { readonly seq: null }) & { readonly total: number }>(
    `select t.total, a.* from (${count.text}) t left join (${page}) a on true ${newestFirst}`,
    [...count.parameters, ...parameters, limit, offset],
  );
  const entries = rows.filter((row) => row.seq !== null).map(entryOf);
  return { entries, total: rows[0]?.total ?? 0 };
};

interface CountQuery {
  /** SQL that selects one row with the column `total`. */
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

const countQueryOf = (filter: AuditFilter, { where, parameters }: Conditions): CountQuery => {
  const { source, from, to } = filter;
  if (isNarrowed(filter) || (from !== undefined && to !== undefined && from >= to))
    return { text: `${countEntries} ${where}`, parameters };
  const countBeforeEnd = to === undefined ? countAll(source) : countBefore(source, to);
  const countBeforeStart = from === undefined ? { text: '0', parameters: [] } : countBefore(source, from);
  return {
    text: `select ${countBeforeEnd.text} - ${countBeforeStart.text} as total`,
    parameters: [...countBeforeEnd.parameters, ...countBeforeStart.parameters],
  };
};

const countAll = (source: AuditFilter['source']): CountQuery => ({
  text: '(select entries from audit_totals where scope = ?)',
  parameters: [source],
});

/** Counts the entries before the instant: whole days plus a part of the last day. */
const countBefore = (source: AuditFilter['source'], instant: number): CountQuery => {
  const { where, parameters } = conditionsOfSource(source);
  const day = dayOf(instant);
  return {
    text: `((select cast(coalesce(sum(entries), 0) as bigint) from audit_days where scope = ? and day < ?)
      + (${countEntries} ${where} and a.instant >= ? and a.instant < ?))`,
    parameters: [source, day, ...parameters, day * dayMs, instant],
  };
};

interface Day {
  readonly day: number;
  readonly entries: number;
  /** The number of entries on later days. */
  readonly later: number;
}

/** Selects the day of the entry at the offset `?` in newest-first order. */
const selectDay = `select day, entries, passed - entries as later from (
    select day, entries, cast(sum(entries) over (order by day desc rows unbounded preceding) as bigint) as passed
    from audit_days where scope = ?) d
  where passed > ? order by day desc limit 1`;

const readCountedPage = async (
  sql: Sql,
  source: AuditFilter['source'],
  offset: number,
  limit: number,
): Promise<AuditPage> => {
  const totalRow = await sql.first<{ total: number }>(`select ${countAll(source).text} as total`, [source]);
  const total = totalRow?.total ?? 0;
  const day = await sql.first<Day>(selectDay, [source, offset]);
  if (!day) return { entries: [], total };
  const { instant, seq } = await findPosition(sql, source, day, offset - day.later);
  const { where, parameters } = conditionsOfSource(source);
  const seek = `${selectEntries} ${where} and (a.instant, a.seq) <= (?, ?) ${newestFirst} limit ?`;
  const rows = await sql.all<AuditRow>(seek, [...parameters, instant, seq, limit]);
  return { entries: rows.map(entryOf), total };
};

/** Finds the day's entry at an offset in newest-first order, by walking an index from the nearer end of the day. */
const findPosition = async (
  sql: Sql,
  source: AuditFilter['source'],
  { day, entries }: Day,
  fromNewest: number,
): Promise<AuditPosition> => {
  const { where, parameters } = conditionsOfSource(source);
  const fromOldest = entries - 1 - fromNewest;
  const [condition, instant, order, steps] =
    fromNewest < fromOldest
      ? ['a.instant < ?', (day + 1) * dayMs, newestFirst, fromNewest]
      : ['a.instant >= ?', day * dayMs, oldestFirst, fromOldest];
  const select = `select a.instant, a.seq from audit_entries a ${where} and ${condition} ${order} limit 1 offset ?`;
  const position = await sql.first<AuditPosition>(select, [...parameters, instant, steps]);
  if (!position) throw new Error('The counts of the audit log do not add up to its entries.');
  return position;
};

const isNarrowed = ({ actorId, clientId, collectionId, action }: AuditFilter): boolean =>
  [actorId, clientId, collectionId, action].some((field) => field !== undefined);

const hasFields = (filter: AuditFilter): boolean =>
  isNarrowed(filter) || filter.from !== undefined || filter.to !== undefined;

const conditionsOfSource = (source: AuditFilter['source']): Conditions =>
  source === 'all' ? { where: 'where true', parameters: [] } : { where: 'where a.source = ?', parameters: [source] };

const conditionsOf = (filter: AuditFilter, database: Pick<SqlDatabase, 'disableIndex'>): Conditions => {
  const equalities = selectDefinedConditions([
    ['a.client_id = ?', filter.clientId],
    ['a.collection_id = ?', filter.collectionId],
    ['a.actor_id = ?', filter.actorId],
    ['a.action = ?', filter.action],
    ['a.source = ?', filter.source === 'all' ? undefined : filter.source],
  ]);
  const range = selectDefinedConditions([
    ['a.instant >= ?', filter.from],
    ['a.instant < ?', filter.to],
  ]);
  const where = [
    'where true',
    // The most selective condition comes first: its index is used.
    ...equalities.map(({ condition }, index) => (index === 0 ? condition : database.disableIndex(condition))),
    ...range.map(({ condition }) => condition),
  ];
  return { where: where.join(' and '), parameters: [...equalities, ...range].map(({ value }) => value) };
};

const selectDefinedConditions = (conditions: readonly (readonly [condition: string, value: Parameter | undefined])[]) =>
  conditions.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
