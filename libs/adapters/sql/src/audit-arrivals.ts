import { factColumns } from './audit-record.ts';
import { countDays, type DayChange, dayMs } from './effects.ts';
import type { SqlDatabase } from './sql.ts';
import { inSnakeCase } from './table.ts';

/** Filed as soon as so many wait. */
const manyWait = 256;
/**
 * So many take about 2 ms, during which SQLite holds the event loop. More than as many as are waited for, because a table
 * is emptied for less than its rows are deleted one by one.
 */
const filedAtOnce = 320;
const fileEveryMs = 1_000;

export interface AuditArrivals {
  /** Files all entries that arrived before the call. */
  file(): Promise<void>;
  /** Tells that entries arrived, which are filed soon. */
  arrived(count: number): void;
  /** Files what it can, and ends. */
  close(): Promise<void>;
}

/**
 * Files entries from `audit_arrivals` among the others, in their order: many at once, and at the latest before anybody
 * reads the log. What cannot be filed stays where it is, as durable as before.
 */
export const createAuditArrivals = (database: SqlDatabase): AuditArrivals => {
  const { filesLater } = database.reads;
  let waiting = 0;

  const fileSome = (): Promise<boolean> =>
    database.transact(async (transaction) => {
      const days = await transaction.all<ArrivalDay>(selectSome, [filedAtOnce]);
      if (days.length === 0) return false;
      const last = Math.max(...days.map(({ lastSeq }) => lastSeq));
      await transaction.run(fileUpTo, [last]);
      const mayBeMore = sumOf(days) === filedAtOnce;
      // None arrives in between where transactions run one at a time.
      if (transaction.oneAtATime && !mayBeMore) await transaction.run(forgetAll);
      else await transaction.run(forgetUpTo, [last]);
      await countDays(transaction, days);
      return mayBeMore;
    });

  const file = async (): Promise<void> => {
    waiting = 0;
    if (!(await database.reads.first(selectAny))) return;
    while (await fileSome());
  };

  // A full disk, or a lock of another process: tried again, and told to those who read the log.
  const fileIfPossible = (): Promise<void> => file().catch(() => undefined);

  const timer = filesLater ? setInterval(() => void fileIfPossible(), fileEveryMs).unref() : undefined;
  return {
    file,
    arrived(count) {
      waiting += count;
      if (filesLater && waiting >= manyWait) void fileIfPossible();
    },
    async close() {
      clearInterval(timer);
      await fileIfPossible();
    },
  };
};

interface ArrivalDay extends DayChange {
  readonly lastSeq: number;
}

const sumOf = (days: readonly ArrivalDay[]): number => days.reduce((sum, { entries }) => sum + entries, 0);

const facts = factColumns.map(inSnakeCase).join(', ');
const selectAny = 'select seq from audit_arrivals limit 1';
/** Counted here: as rows of their own they would leave half a kilobyte of garbage for each entry. */
const selectSome = `select source, floor(instant / ${dayMs}.0) as day, count(*) as entries, max(seq) as "lastSeq"
  from (select seq, source, instant from audit_arrivals order by seq limit ?) as oldest group by source, day`;
const fileUpTo = `insert into audit_entries (${facts}) select ${facts} from audit_arrivals where seq <= ? order by seq`;
const forgetUpTo = 'delete from audit_arrivals where seq <= ?';
const forgetAll = 'delete from audit_arrivals';
