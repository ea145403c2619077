import type { AuditEntry, AuditFilter } from '@portico/domain';
import { auditColumns, type AuditPlace, type AuditRow, entryOf } from './audit-record.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { columns } from './table.ts';

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
}

/** Page and total are of one moment. A single statement that reads both needs no transaction for that. */
export const readPage = (
  database: SqlDatabase,
  filter: AuditFilter,
  offset: number,
  limit: number,
): Promise<AuditPage> =>
  hasFields(filter) || offset < limit
    ? pageWithTotal(database, filter, offset, limit)
    : database.snapshot((sql) => countedPage(sql, filter.source, offset, limit));

/** The highest `seq`, or 0. */
export const readLastSeq = async (sql: Sql): Promise<number> =>
  (await sql.first<{ seq: number | null }>('select max(seq) as seq from audit_entries'))?.seq ?? 0;

/** Entries up to `lastSeq` that come after `after`, in page order. */
export const readBatch = (
  database: SqlDatabase,
  filter: AuditFilter,
  lastSeq: number,
  after: AuditPlace | null,
  limit: number,
): Promise<readonly AuditRow[]> => {
  const { where, parameters } = conditionsOf(filter, database);
  const beyond = after ? 'and (a.instant, a.seq) < (?, ?)' : '';
  const text = `${selectEntries} ${where} and a.seq <= ? ${beyond} ${newestFirst} limit ?`;
  return database.reads.all<AuditRow>(text, [
    ...parameters,
    lastSeq,
    ...(after ? [after.instant, after.seq] : []),
    limit,
  ]);
};

/** A filter as SQL: conditions on an entry, and the parameters for their `?`s. */
interface Conditions {
  readonly where: string;
  readonly parameters: readonly Parameter[];
}
type Parameter = string | number;
/** A run, with the entries from the end that the search started at up to its own. */
interface Run extends AuditPlace {
  readonly entries: number;
  readonly passed: number;
}

const selectEntries = `select ${columns('a', auditColumns)} from audit_entries a`;
const countEntries = 'select count(*) as total from audit_entries a';
const newestFirst = 'order by a.instant desc, a.seq desc';
const oldestFirst = 'order by a.instant, a.seq';
const selectTotal = 'select entries as total from audit_totals where scope = ?';
/** An empty page yields one row, which holds only the total. */
const pageWithTotal = async (
  database: SqlDatabase,
  filter: AuditFilter,
  offset: number,
  limit: number,
): Promise<AuditPage> => {
  const { where, parameters } = conditionsOf(filter, database);
  const counted = countOf(filter, { where, parameters });
  const page = `${selectEntries} ${where} ${newestFirst} limit ? offset ?`;
  const rows = await database.reads.all<(AuditRow | { readonly seq: null }) & { readonly total: number }>(
    `select t.total, a.* from (${counted.text}) t left join (${page}) a on true ${newestFirst}`,
    [...counted.parameters, ...parameters, limit, offset],
  );
  const entries = rows.filter((row) => row.seq !== null).map(entryOf);
  return { entries, total: rows[0]?.total ?? 0 };
};

interface Count {
  /** Selects one row, with `total`. */
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

const countOf = (filter: AuditFilter, { where, parameters }: Conditions): Count => {
  const { source, from, to } = filter;
  if (!hasFields(filter)) return { text: selectTotal, parameters: [source] };
  if (isNarrowed(filter) || (from !== undefined && to !== undefined && from >= to))
    return { text: `${countEntries} ${where}`, parameters };
  const upTo = to === undefined ? { text: `(${selectTotal})`, parameters: [source] } : countBefore(source, to);
  const before = from === undefined ? { text: '0', parameters: [] } : countBefore(source, from);
  return {
    text: `select ${upTo.text} - ${before.text} as total`,
    parameters: [...upTo.parameters, ...before.parameters],
  };
};

/** Counts the entries before the instant: whole runs, and a part of the last one. */
const countBefore = (source: AuditFilter['source'], instant: number): Count => {
  const { where, parameters } = conditionsOfSource(source);
  return {
    text: `(select ${wholeRuns(source)} + (${countEntries} ${where}
        and (a.instant, a.seq) >= (r.instant, r.seq) and a.instant < ?)
      from (select instant, seq from audit_runs where instant < ? order by instant desc, seq desc limit 1) r)`,
    parameters: [...parameters, instant, instant],
  };
};

const wholeRuns = (source: AuditFilter['source']): string =>
  `(select cast(coalesce(sum(${entriesOf[source]}), 0) as bigint) from audit_runs where (instant, seq) < (r.instant, r.seq))`;

/** How many entries of a source a run has. */
const entriesOf: Readonly<Record<AuditFilter['source'], string>> = {
  client: 'client_entries',
  system: 'system_entries',
  all: 'client_entries + system_entries',
};

const countedPage = async (
  sql: Sql,
  source: AuditFilter['source'],
  offset: number,
  limit: number,
): Promise<AuditPage> => {
  const total = (await sql.first<{ total: number }>(selectTotal, [source]))?.total ?? 0;
  if (offset >= total) return { entries: [], total };
  return { entries: (await rowsAt(sql, source, offset, limit, total)).map(entryOf), total };
};

/** The last page is read from the oldest end, with no search for its first entry. */
const rowsAt = async (
  sql: Sql,
  source: AuditFilter['source'],
  offset: number,
  limit: number,
  total: number,
): Promise<readonly AuditRow[]> => {
  const { where, parameters } = conditionsOfSource(source);
  const select = `${selectEntries} ${where}`;
  if (total - offset <= limit) {
    const rows = await sql.all<AuditRow>(`${select} ${oldestFirst} limit ?`, [...parameters, total - offset]);
    return rows.toReversed();
  }
  const { instant, seq } = await placeAt(sql, source, offset, total);
  const seek = `${select} and (a.instant, a.seq) <= (?, ?) ${newestFirst} limit ?`;
  return sql.all<AuditRow>(seek, [...parameters, instant, seq, limit]);
};

/**
 * Returns the place of the entry at that offset in newest-first order. Adds up the runs from the nearer end to find its
 * run, then walks the index within the run.
 */
const placeAt = async (sql: Sql, source: AuditFilter['source'], offset: number, total: number): Promise<AuditPlace> => {
  const fromOldest = total - 1 - offset;
  const isNearNewest = offset <= fromOldest;
  const run = await sql.first<Run>(runAt(source, isNearNewest ? 'desc' : 'asc'), [isNearNewest ? offset : fromOldest]);
  if (!run) throw new Error(doNotAddUp);
  const index = isNearNewest ? run.passed - 1 - offset : fromOldest - (run.passed - run.entries);
  const { where, parameters } = conditionsOfSource(source);
  const select = `select a.instant, a.seq from audit_entries a ${where}`;
  const place = await sql.first<AuditPlace>(
    `${select} and (a.instant, a.seq) >= (?, ?) ${oldestFirst} limit 1 offset ?`,
    [...parameters, run.instant, run.seq, index],
  );
  if (!place) throw new Error(doNotAddUp);
  return place;
};

const doNotAddUp = 'The counts of the audit log do not add up to its entries.';

/** Selects the run with which the sum exceeds `?`, from one end of the log on. */
const runAt = (source: AuditFilter['source'], direction: 'asc' | 'desc'): string => {
  const order = `order by instant ${direction}, seq ${direction}`;
  return `select instant, seq, entries, passed from (
      select instant, seq, ${entriesOf[source]} as entries,
        cast(sum(${entriesOf[source]}) over (${order} rows unbounded preceding) as bigint) as passed
      from audit_runs) r
    where passed > ? ${order} limit 1`;
};

const isNarrowed = ({ actorId, clientId, collectionId, action }: AuditFilter): boolean =>
  [actorId, clientId, collectionId, action].some((field) => field !== undefined);

const hasFields = (filter: AuditFilter): boolean =>
  isNarrowed(filter) || filter.from !== undefined || filter.to !== undefined;

const conditionsOfSource = (source: AuditFilter['source']): Conditions =>
  source === 'all' ? { where: 'where true', parameters: [] } : { where: 'where a.source = ?', parameters: [source] };

const conditionsOf = (filter: AuditFilter, database: Pick<SqlDatabase, 'unindexed'>): Conditions => {
  const equalities = asked([
    ['a.client_id = ?', filter.clientId],
    ['a.collection_id = ?', filter.collectionId],
    ['a.actor_id = ?', filter.actorId],
    ['a.action = ?', filter.action],
    ['a.source = ?', filter.source === 'all' ? undefined : filter.source],
  ]);
  const range = asked([
    ['a.instant >= ?', filter.from],
    ['a.instant < ?', filter.to],
  ]);
  const where = [
    'where true',
    // The narrowest condition comes first; it is the one whose index is used.
    ...equalities.map(({ condition }, index) => (index === 0 ? condition : database.unindexed(condition))),
    ...range.map(({ condition }) => condition),
  ];
  return { where: where.join(' and '), parameters: [...equalities, ...range].map(({ value }) => value) };
};

const asked = (all: readonly (readonly [condition: string, value: Parameter | undefined])[]) =>
  all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
