import type { Database as Connection, Statement } from 'better-sqlite3';
import type { AuditEntry, AuditFilter } from '@portico/domain';
import { auditColumns, entryOf } from '../audit-log.ts';
import type { AuditPlace, AuditReads, AuditRow } from '../audit-log.ts';
import { dayMs } from '../effects.ts';
import { columns } from '../sql.ts';

type Parameter = string | number;
/** What a filter says: conditions on an entry, with the parameters of their `?`s. */
interface Conditions {
  readonly where: string;
  readonly parameters: readonly Parameter[];
}
type Page = { readonly entries: readonly AuditEntry[]; readonly total: number };

export const createSqliteAuditReads = (reader: Connection): AuditReads => {
  const statements = new Map<string, Statement<unknown[]>>();
  const prepared = <Row>(text: string): Statement<unknown[], Row> => {
    const statement = statements.get(text) ?? reader.prepare<unknown[]>(text);
    statements.set(text, statement);
    return statement as Statement<unknown[], Row>;
  };

  const filtered = (filter: AuditFilter, offset: number, limit: number): Page => {
    const { where, parameters } = conditionsOf(filter);
    const total = prepared<{ total: number }>(`${countEntries} ${where}`).get(...parameters)?.total ?? 0;
    const page = `${selectEntries} ${where} ${newestFirst} limit ? offset ?`;
    const rows = offset < total ? prepared<AuditRow>(page).all(...parameters, limit, offset) : [];
    return { entries: rows.map(entryOf), total };
  };

  const counted = (source: AuditFilter['source'], offset: number, limit: number): Page => {
    const total = prepared<{ entries: number }>(selectTotal).get(source)?.entries ?? 0;
    if (offset >= total) return { entries: [], total };
    const { where, parameters } = conditionsOf({ source });
    const place = placeAt(prepared, source, offset, total);
    const seek = `${selectEntries} ${where} and (a.instant, a.seq) <= (?, ?) ${newestFirst} limit ?`;
    const rows = place ? prepared<AuditRow>(seek).all(...parameters, place.instant, place.seq, limit) : [];
    return { entries: rows.map(entryOf), total };
  };

  // In one transaction, so that page and total are of one moment.
  const page = reader.transaction((filter: AuditFilter, offset: number, limit: number): Page =>
    hasFields(filter) ? filtered(filter, offset, limit) : counted(filter.source, offset, limit),
  );

  return {
    page: async (filter, offset, limit) => page(filter, offset, limit),

    async lastSeq() {
      return prepared<{ seq: number }>(selectLast).get()?.seq ?? 0;
    },

    async batch(filter, lastSeq, after, limit) {
      const { where, parameters } = conditionsOf(filter);
      const beyond = after ? 'and (a.instant, a.seq) < (?, ?)' : '';
      const text = `${selectEntries} ${where} and a.seq <= ? ${beyond} ${newestFirst} limit ?`;
      return prepared<AuditRow>(text).all(...parameters, lastSeq, ...(after ? [after.instant, after.seq] : []), limit);
    },
  };
};

type Prepared = <Row>(text: string) => Statement<unknown[], Row>;
interface Day {
  readonly day: number;
  readonly entries: number;
}

const selectEntries = `select ${columns('a', auditColumns)} from audit_entries a`;
const countEntries = 'select count(*) as total from audit_entries a';
const newestFirst = 'order by a.instant desc, a.seq desc';
const oldestFirst = 'order by a.instant, a.seq';
const selectTotal = 'select entries from audit_totals where scope = ?';
const selectLast = 'select max(seq) as seq from audit_entries';
const daysNewestFirst = 'select day, entries from audit_days where scope = ? order by day desc';
const daysOldestFirst = 'select day, entries from audit_days where scope = ? order by day';

/**
 * The place of the entry at that offset of the newest-first order: the days' counts are walked from whichever end is
 * nearer to find its day, then the index inside of the day from whichever end of that is nearer. So the first and the last
 * page cost the same however many entries there are.
 */
const placeAt = (
  prepared: Prepared,
  source: AuditFilter['source'],
  offset: number,
  total: number,
): AuditPlace | undefined => {
  const fromOldest = total - 1 - offset;
  const { day, entries, index } =
    offset <= fromOldest
      ? dayAt(prepared<Day>(daysNewestFirst).iterate(source), offset)
      : mirrored(dayAt(prepared<Day>(daysOldestFirst).iterate(source), fromOldest));
  const { where, parameters } = conditionsOf({ source });
  const select = `select a.instant, a.seq from audit_entries a ${where}`;
  return index < entries / 2
    ? prepared<AuditPlace>(`${select} and a.instant < ? ${newestFirst} limit 1 offset ?`).get(
        ...parameters,
        (day + 1) * dayMs,
        index,
      )
    : prepared<AuditPlace>(`${select} and a.instant >= ? ${oldestFirst} limit 1 offset ?`).get(
        ...parameters,
        day * dayMs,
        entries - 1 - index,
      );
};

interface PlaceInDay extends Day {
  /** From the end that the days were walked from. */
  readonly index: number;
}

const dayAt = (days: Iterable<Day>, offset: number): PlaceInDay => {
  let passed = 0;
  for (const { day, entries } of days) {
    if (offset < passed + entries) return { day, entries, index: offset - passed };
    passed += entries;
  }
  throw new Error('The counts of the audit log do not add up to its total.');
};

const mirrored = ({ day, entries, index }: PlaceInDay): PlaceInDay => ({ day, entries, index: entries - 1 - index });

const hasFields = ({ actorId, clientId, collectionId, action, from, to }: AuditFilter): boolean =>
  [actorId, clientId, collectionId, action, from, to].some((field) => field !== undefined);

const conditionsOf = (filter: AuditFilter): Conditions => {
  const { actorId, clientId, collectionId, action } = filter;
  const isNarrow = [actorId, clientId, collectionId, action].some((field) => field !== undefined);
  const source = filter.source === 'all' ? undefined : filter.source;
  const all: readonly (readonly [condition: string, value: Parameter | undefined])[] = [
    // The plus keeps SQLite from the index by source where there is a narrower one.
    [isNarrow ? '+a.source = ?' : 'a.source = ?', source],
    ['a.actor_id = ?', actorId],
    ['a.client_id = ?', clientId],
    ['a.collection_id = ?', collectionId],
    ['a.action = ?', action],
    ['a.instant >= ?', filter.from],
    ['a.instant < ?', filter.to],
  ];
  const asked = all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
  return {
    where: ['where true', ...asked.map(({ condition }) => condition)].join(' and '),
    parameters: asked.map(({ value }) => value),
  };
};
