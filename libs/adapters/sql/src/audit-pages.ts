import type { AuditEntry, AuditFilter } from '@portico/domain';
import { auditColumns, type AuditPlace, type AuditRow, entryOf } from './audit-record.ts';
import { dayMs } from './effects.ts';
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
interface Day {
  readonly day: number;
  readonly entries: number;
}

const selectEntries = `select ${columns('a', auditColumns)} from audit_entries a`;
const countEntries = 'select count(*) as total from audit_entries a';
const newestFirst = 'order by a.instant desc, a.seq desc';
const oldestFirst = 'order by a.instant, a.seq';
const selectTotal = 'select entries as total from audit_totals where scope = ?';
const daysNewestFirst = 'select day, entries from audit_days where scope = ? and day < ? order by day desc limit ?';
const daysOldestFirst = 'select day, entries from audit_days where scope = ? and day > ? order by day limit ?';

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
  const [first, end] = [
    from === undefined ? -farthestDay : wholeDaysFrom(from),
    to === undefined ? farthestDay : wholeDaysTo(to),
  ];
  if (isNarrowed(filter) || first >= end) return { text: `${countEntries} ${where}`, parameters };
  // Whole days are counted already; what is left are the parts of days at both ends.
  const ofSource = conditionsOfSource(source);
  const part = `(${countEntries} ${ofSource.where} and a.instant >= ? and a.instant < ?)`;
  const parts = [
    ...(from === undefined ? [] : [[from, first * dayMs]]),
    ...(to === undefined ? [] : [[end * dayMs, to]]),
  ];
  return {
    text: `select (${[wholeDays, ...parts.map(() => part)].join(' + ')}) as total`,
    parameters: [source, first, end, ...parts.flatMap((range) => [...ofSource.parameters, ...range])],
  };
};

const wholeDays = `(select cast(coalesce(sum(d.entries), 0) as bigint) from audit_days d
  where d.scope = ? and d.day >= ? and d.day < ?)`;
/** The first day that is whole from that instant on. */
const wholeDaysFrom = (instant: number): number => Math.ceil(instant / dayMs);
/** The day that is not whole before that instant. */
const wholeDaysTo = (instant: number): number => Math.floor(instant / dayMs);

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
 * Returns the place of the entry at that offset in newest-first order. Walks the counts per day from the nearer end to
 * find its day, then the index within the day, again from the nearer end.
 */
const placeAt = async (sql: Sql, source: AuditFilter['source'], offset: number, total: number): Promise<AuditPlace> => {
  const fromOldest = total - 1 - offset;
  const { day, entries, index } =
    offset <= fromOldest
      ? await dayAt(sql, daysNewestFirst, farthestDay, source, offset)
      : mirrored(await dayAt(sql, daysOldestFirst, -farthestDay, source, fromOldest));
  const { where, parameters } = conditionsOfSource(source);
  const select = `select a.instant, a.seq from audit_entries a ${where}`;
  const place =
    index < entries / 2
      ? await sql.first<AuditPlace>(`${select} and a.instant < ? ${newestFirst} limit 1 offset ?`, [
          ...parameters,
          (day + 1) * dayMs,
          index,
        ])
      : await sql.first<AuditPlace>(`${select} and a.instant >= ? ${oldestFirst} limit 1 offset ?`, [
          ...parameters,
          day * dayMs,
          entries - 1 - index,
        ]);
  if (!place) throw new Error(doNotAddUp);
  return place;
};

const doNotAddUp = 'The counts of the audit log do not add up to its entries.';
const daysAtOnce = 250;
/** The largest integer of 32 bits: no instant is that far from 1970. */
const farthestDay = 2_147_483_647;

interface PlaceInDay extends Day {
  /** Counted from the end that the walk started at. */
  readonly index: number;
}

const dayAt = async (
  sql: Sql,
  days: string,
  before: number,
  source: AuditFilter['source'],
  offset: number,
): Promise<PlaceInDay> => {
  let passed = 0;
  for (let last = before; ;) {
    const found = await sql.all<Day>(days, [source, last, daysAtOnce]);
    for (const { day, entries } of found) {
      if (offset < passed + entries) return { day, entries, index: offset - passed };
      passed += entries;
      last = day;
    }
    if (found.length < daysAtOnce) throw new Error(doNotAddUp);
  }
};

const mirrored = ({ day, entries, index }: PlaceInDay): PlaceInDay => ({ day, entries, index: entries - 1 - index });

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
