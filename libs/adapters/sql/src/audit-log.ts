import { setImmediate } from 'node:timers/promises';
import { PorticoError } from '@portico/domain';
import type { AuditEntry, AuditFilter, AuditLog, Deadline, Instant } from '@portico/domain';
import { readBatch, readLastSeq, readPage } from './audit-pages.ts';
import { type AuditPlace, type AuditRow, entryOf } from './audit-record.ts';
import { countEntries, writeEntries } from './effects.ts';
import { fulfilledWithin } from './fulfilled-within.ts';
import type { SqlDatabase, Sql } from './sql.ts';

export interface SqlAuditLog extends AuditLog {
  /** Fulfilled once nothing waits to be written. */
  settled(): Promise<void>;
}

export const createSqlAuditLog = (database: SqlDatabase): SqlAuditLog => {
  const queue = createQueue(database);

  return {
    append: (entry, deadline) => queue.append({ entry, deadline }),
    settled: () => queue.settled(),
    page: (filter, offset, limit) => readPage(database, filter, offset, limit),

    export(filter) {
      // Asked for at the call: what is added later does not come.
      const last = readLastSeq(database.reads);
      // Whoever takes the first entry is told of a failure.
      last.catch(() => undefined);
      return exported(database, filter, last);
    },

    async prune(before, limit) {
      return database.transact(async (transaction) => {
        const removed = await transaction.all<{ source: string; instant: Instant }>(prune, [before, limit]);
        await countEntries(transaction, removed, -1);
        return removed.length;
      });
    },
  };
};

const exportBatchMax = 500;
const prune = `delete from audit_entries where seq in
  (select seq from audit_entries where received_at < ? order by received_at, seq limit ?) returning source, instant`;

/** How long a group waits for the one before, in milliseconds: not for one whose connection hangs. */
const groupWaitMs = 2_000;

interface Appended {
  readonly entry: AuditEntry;
  readonly deadline: Deadline | null;
}

const isInTime = ({ deadline }: Appended): boolean => !deadline?.expired;

const beginsCommit = ({ deadline }: Appended): boolean => {
  try {
    deadline?.beginCommit();
    return true;
  } catch {
    return false;
  }
};

/** Some of a group expired while it was written: it is rolled back, to be written without them. */
class ExpiredMeanwhile extends Error {}

/**
 * Commits together what came together: everything that was appended in one turn of the event loop, and while earlier
 * entries were on their way to the disk, shares one transaction, and so one sync. What expires before that is left out.
 */
const createQueue = (database: SqlDatabase) => {
  let waiting: Appended[] = [];
  let next: Promise<void> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const underWay = new Set<Promise<void>>();

  const commit = async (before: Promise<unknown>): Promise<void> => {
    await setImmediate();
    await fulfilledWithin(groupWaitMs, before);
    let group: readonly Appended[] | null = null;
    const write = async (sql: Sql): Promise<void> => {
      group = (group ?? take()).filter(isInTime);
      await writeEntries(
        sql,
        group.map(({ entry }) => entry),
      );
      if (!group.map(beginsCommit).every(Boolean)) throw new ExpiredMeanwhile();
    };
    for (;;) {
      try {
        return await database.write(write);
      } catch (error) {
        if (!(error instanceof ExpiredMeanwhile)) throw error;
      }
    }
  };

  const take = (): Appended[] => {
    const taken = waiting;
    waiting = [];
    next = null;
    return taken;
  };

  const begin = (): Promise<void> => {
    const committed = commit(last).catch((error: unknown) => {
      // Also where no transaction could be opened: those that wait for this one must not wait for ever.
      if (next === committed) take();
      throw error;
    });
    last = committed.catch(() => undefined);
    underWay.add(committed);
    const forget = () => underWay.delete(committed);
    committed.then(forget, forget);
    return committed;
  };

  return {
    async append(appended: Appended): Promise<void> {
      waiting.push(appended);
      next ??= begin();
      await next;
      // What was committed does not expire any more.
      if (!isInTime(appended)) throw new PorticoError('timed_out');
    },
    async settled(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
};

async function* exported(database: SqlDatabase, filter: AuditFilter, last: Promise<number>): AsyncIterable<AuditEntry> {
  const lastSeq = await last;
  for (let after: AuditPlace | null = null; ;) {
    const rows: readonly AuditRow[] = await readBatch(database, filter, lastSeq, after, exportBatchMax);
    for (const row of rows) yield entryOf(row);
    after = rows.at(-1) ?? null;
    if (rows.length < exportBatchMax) return;
  }
}
