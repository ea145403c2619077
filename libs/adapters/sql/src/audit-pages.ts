import type { AuditEntry, AuditFilter } from '@portico/domain';
import { auditColumns, entryOf } from './audit-record.ts';
import type { AuditPlace, AuditRow } from './audit-record.ts';
import { dayMs } from './effects.ts';
import { columns } from './table.ts';

/** A statement with the parameters of its `?`s. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | number)[];
}

/**
 * What is read for something, without how: it hands out a statement and is handed its rows, until it returns. So that one
 * dialect can work it within a tick and another over a wire, each in one snapshot.
 */
export type Reading<Answer> = Generator<Statement, Answer, readonly unknown[]>;

export type AuditPage = { readonly entries: readonly AuditEntry[]; readonly total: number };

/** `beside` turns a condition into one that no index is chosen for; `(condition) => condition` where nothing is to be said. */
export type Beside = (condition: string) => string;

export function* readPage(filter: AuditFilter, offset: number, limit: number, beside: Beside): Reading<AuditPage> {
  return isOfOneStatement(filter, offset, limit)
    ? yield* pageWithTotal(filter, offset, limit, beside)
    : yield* countedPage(filter.source, offset, limit);
}

/** Whether `readPage` hands out a single statement, which is of one moment by itself. */
export const isOfOneStatement = (filter: AuditFilter, offset: number, limit: number): boolean =>
  hasFields(filter) || offset < limit;

export function* readLastSeq(): Reading<number> {
  const last = yield* first<{ seq: number | null }>('select max(seq) as seq from audit_entries', []);
  return last?.seq ?? 0;
}

/** A batch of an export: see `AuditReads.batch`. */
export function* readBatch(
  filter: AuditFilter,
  lastSeq: number,
  after: AuditPlace | null,
  limit: number,
  beside: Beside,
): Reading<readonly AuditRow[]> {
  const { where, parameters } = conditionsOf(filter, beside);
  const beyond = after ? 'and (a.instant, a.seq) < (?, ?)' : '';
  const text = `${selectEntries} ${where} and a.seq <= ? ${beyond} ${newestFirst} limit ?`;
  return yield* all<AuditRow>(text, [...parameters, lastSeq, ...(after ? [after.instant, after.seq] : []), limit]);
}

/** What a filter says: conditions on an entry, with the parameters of their `?`s. */
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

function* all<Row>(text: string, parameters: readonly Parameter[]): Reading<readonly Row[]> {
  return (yield { text, parameters }) as readonly Row[];
}

function* first<Row>(text: string, parameters: readonly Parameter[]): Reading<Row | undefined> {
  return (yield* all<Row>(text, parameters))[0];
}

/** Where the page is empty, there is one row, with the total alone. */
function* pageWithTotal(filter: AuditFilter, offset: number, limit: number, beside: Beside): Reading<AuditPage> {
  const { where, parameters } = conditionsOf(filter, beside);
  const counted = hasFields(filter)
    ? { text: `${countEntries} ${where}`, parameters }
    : { text: selectTotal, parameters: [filter.source] };
  const page = `${selectEntries} ${where} ${newestFirst} limit ? offset ?`;
  const rows = yield* all<(AuditRow | { readonly seq: null }) & { readonly total: number }>(
    `select t.total, a.* from (${counted.text}) t left join (${page}) a on true ${newestFirst}`,
    [...counted.parameters, ...parameters, limit, offset],
  );
  const entries = rows.filter((row) => row.seq !== null).map(entryOf);
  return { entries, total: rows[0]?.total ?? 0 };
}

function* countedPage(source: AuditFilter['source'], offset: number, limit: number): Reading<AuditPage> {
  const total = (yield* first<{ total: number }>(selectTotal, [source]))?.total ?? 0;
  if (offset >= total) return { entries: [], total };
  return { entries: (yield* rowsAt(source, offset, limit, total)).map(entryOf), total };
}

/** The last page needs no search for where it begins. */
function* rowsAt(
  source: AuditFilter['source'],
  offset: number,
  limit: number,
  total: number,
): Reading<readonly AuditRow[]> {
  const { where, parameters } = conditionsOf({ source });
  const select = `${selectEntries} ${where}`;
  if (total - offset <= limit) {
    const rows = yield* all<AuditRow>(`${select} ${oldestFirst} limit ?`, [...parameters, total - offset]);
    return rows.toReversed();
  }
  const { instant, seq } = yield* placeAt(source, offset, total);
  const seek = `${select} and (a.instant, a.seq) <= (?, ?) ${newestFirst} limit ?`;
  return yield* all<AuditRow>(seek, [...parameters, instant, seq, limit]);
}

/**
 * The place of the entry at that offset of the newest-first order: the days' counts are walked from whichever end is
 * nearer to find its day, then the index inside of the day from whichever end of that is nearer.
 */
function* placeAt(source: AuditFilter['source'], offset: number, total: number): Reading<AuditPlace> {
  const fromOldest = total - 1 - offset;
  const { day, entries, index } =
    offset <= fromOldest
      ? yield* dayAt(daysNewestFirst, farthestDay, source, offset)
      : mirrored(yield* dayAt(daysOldestFirst, -farthestDay, source, fromOldest));
  const { where, parameters } = conditionsOf({ source });
  const select = `select a.instant, a.seq from audit_entries a ${where}`;
  const place =
    index < entries / 2
      ? yield* first<AuditPlace>(`${select} and a.instant < ? ${newestFirst} limit 1 offset ?`, [
          ...parameters,
          (day + 1) * dayMs,
          index,
        ])
      : yield* first<AuditPlace>(`${select} and a.instant >= ? ${oldestFirst} limit 1 offset ?`, [
          ...parameters,
          day * dayMs,
          entries - 1 - index,
        ]);
  if (!place) throw new Error(doNotAddUp);
  return place;
}

const doNotAddUp = 'The counts of the audit log do not add up to its entries.';
const daysAtOnce = 250;
/** The largest integer of 32 bits: no instant is that far from 1970. */
const farthestDay = 2_147_483_647;

interface PlaceInDay extends Day {
  /** From the end that the days were walked from. */
  readonly index: number;
}

function* dayAt(days: string, before: number, source: AuditFilter['source'], offset: number): Reading<PlaceInDay> {
  let passed = 0;
  for (let last = before; ;) {
    const found = yield* all<Day>(days, [source, last, daysAtOnce]);
    for (const { day, entries } of found) {
      if (offset < passed + entries) return { day, entries, index: offset - passed };
      passed += entries;
      last = day;
    }
    if (found.length < daysAtOnce) throw new Error(doNotAddUp);
  }
}

const mirrored = ({ day, entries, index }: PlaceInDay): PlaceInDay => ({ day, entries, index: entries - 1 - index });

const hasFields = ({ actorId, clientId, collectionId, action, from, to }: AuditFilter): boolean =>
  [actorId, clientId, collectionId, action, from, to].some((field) => field !== undefined);

const conditionsOf = (filter: AuditFilter, beside: Beside = (condition) => condition): Conditions => {
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
    // The narrowest comes first.
    ...equalities.map(({ condition }, index) => (index === 0 ? condition : beside(condition))),
    ...range.map(({ condition }) => condition),
  ];
  return { where: where.join(' and '), parameters: [...equalities, ...range].map(({ value }) => value) };
};

const asked = (all: readonly (readonly [condition: string, value: Parameter | undefined])[]) =>
  all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
