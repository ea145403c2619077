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
    return { entries: rowsAt(prepared, source, offset, limit, total).map(entryOf), total };
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

/** The first and the last page need no search for where they begin. */
const rowsAt = (
  prepared: Prepared,
  source: AuditFilter['source'],
  offset: number,
  limit: number,
  total: number,
): AuditRow[] => {
  const { where, parameters } = conditionsOf({ source });
  const select = `${selectEntries} ${where}`;
  if (offset < limit) {
    return prepared<AuditRow>(`${select} ${newestFirst} limit ? offset ?`).all(...parameters, limit, offset);
  }
  if (total - offset <= limit) {
    const rows = prepared<AuditRow>(`${select} ${oldestFirst} limit ?`).all(...parameters, total - offset);
    return rows.reverse();
  }
  const { instant, seq } = placeAt(prepared, source, offset, total);
  const seek = prepared<AuditRow>(`${select} and (a.instant, a.seq) <= (?, ?) ${newestFirst} limit ?`);
  return seek.all(...parameters, instant, seq, limit);
};

/**
 * The place of the entry at that offset of the newest-first order: the days' counts are walked from whichever end is
 * nearer to find its day, then the index inside of the day from whichever end of that is nearer.
 */
const placeAt = (prepared: Prepared, source: AuditFilter['source'], offset: number, total: number): AuditPlace => {
  const fromOldest = total - 1 - offset;
  const { day, entries, index } =
    offset <= fromOldest
      ? dayAt(prepared<Day>(daysNewestFirst).iterate(source), offset)
      : mirrored(dayAt(prepared<Day>(daysOldestFirst).iterate(source), fromOldest));
  const { where, parameters } = conditionsOf({ source });
  const select = `select a.instant, a.seq from audit_entries a ${where}`;
  const place =
    index < entries / 2
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
  if (!place) throw new Error(doNotAddUp);
  return place;
};

const doNotAddUp = 'The counts of the audit log do not add up to its entries.';

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
  throw new Error(doNotAddUp);
};

const mirrored = ({ day, entries, index }: PlaceInDay): PlaceInDay => ({ day, entries, index: entries - 1 - index });

const hasFields = ({ actorId, clientId, collectionId, action, from, to }: AuditFilter): boolean =>
  [actorId, clientId, collectionId, action, from, to].some((field) => field !== undefined);

const conditionsOf = (filter: AuditFilter): Conditions => {
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
    // The narrowest comes first, and a plus keeps SQLite from the indexes of the others: it cannot tell them apart.
    ...equalities.map(({ condition }, index) => (index === 0 ? condition : `+${condition}`)),
    ...range.map(({ condition }) => condition),
  ];
  return { where: where.join(' and '), parameters: [...equalities, ...range].map(({ value }) => value) };
};

const asked = (all: readonly (readonly [condition: string, value: Parameter | undefined])[]) =>
  all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
