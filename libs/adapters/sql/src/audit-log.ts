import { setImmediate } from 'node:timers/promises';
import { createYielder, fulfilledWithin } from '@portico/dependencies';
import { LinkedList, PorticoError } from '@portico/domain';
import type { AuditEntry, AuditFilter, AuditLog, Deadline, Instant, ProfileId } from '@portico/domain';
import { readBatch, readLastSeq, readPage } from './audit-pages.ts';
import { type AuditPlace, type AuditRow, entryOf } from './audit-record.ts';
import { countEntries, writeEntries } from './effects.ts';
import type { Sql, SqlDatabase } from './sql.ts';

export interface SqlAuditLog extends AuditLog {
  /** Resolves once nothing waits to be written. */
  close(): Promise<void>;
}

export const createSqlAuditLog = (
  database: SqlDatabase,
  /** `idsInJson` selects the strings of the JSON array passed as its `?`. */
  { idsInJson }: { readonly idsInJson: string },
): SqlAuditLog => {
  const queue = createQueue(database);
  const selectNames = `select p.id, p.email as name from profiles p where p.id in (${idsInJson})
    union all select s.id, s.name from service_accounts s where s.id in (${idsInJson})`;

  return {
    append: (entry, deadline) => queue.append({ entry, deadline }),
    close: () => queue.settled(),
    page: (filter, offset, limit) => readPage(database, filter, offset, limit),

    export(filter) {
      // Read at the call: entries added later are not exported.
      const last = readLastSeq(database.reads);
      // A failure surfaces when the first entry is read.
      last.catch(() => undefined);
      return exported(database, filter, last);
    },

    async actorNames(ids) {
      const wanted = JSON.stringify(ids);
      const rows = await database.reads.all<{ id: ProfileId; name: string }>(selectNames, [wanted, wanted]);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    prune: (before, limit) =>
      database.transact(async (transaction) => {
        const removed = await transaction.all<{ source: string; instant: Instant }>(prune, [before, limit]);
        await countEntries(transaction, removed, -1);
        return removed.length;
      }),
  };
};

const exportBatchMax = 500;
const prune = `delete from audit_entries where seq in
  (select seq from audit_entries where received_at < ? order by received_at, seq limit ?) returning source, instant`;

/** How long a group waits for the previous one, in milliseconds. A hung connection must not hold it up for longer. */
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

/** Entries of a group expired while it was written: it is rolled back and written again without them. */
class ExpiredMeanwhile extends Error {}

/**
 * Batches entries: everything appended in one turn of the event loop, or while earlier entries are being written,
 * shares one transaction and so one sync. Entries whose deadline expires first are left out.
 */
const createQueue = (database: SqlDatabase) => {
  let waiting: Appended[] = [];
  let next: Promise<void> | null = null;
  /** The group before, while it is under way; never rejects. */
  let last: Promise<unknown> | null = null;
  const underWay = new LinkedList<Promise<void>>();

  const commit = async (before: Promise<unknown> | null): Promise<void> => {
    await setImmediate();
    if (before) await fulfilledWithin(groupWaitMs, before);
    let group: readonly Appended[] | null = null;
    const write = async (sql: Sql): Promise<void> => {
      group = (group ?? take()).filter(isInTime);
      const entries = group.map(({ entry }) => entry);
      await writeEntries(sql, entries);
      if (!group.map(beginsCommit).every(Boolean)) throw new ExpiredMeanwhile();
    };
    for (;;) {
      try {
        await database.write(write);
        return;
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
      // If no transaction could be opened, the waiting entries fail with it instead of waiting for ever.
      if (next === committed) take();
      throw error;
    });
    const place = underWay.add(committed);
    const ended = () => {
      underWay.remove(place);
      if (last === settled) last = null;
    };
    const settled = committed.then(ended, ended);
    last = settled;
    return committed;
  };

  return {
    async append(appended: Appended): Promise<void> {
      waiting.push(appended);
      next ??= begin();
      await next;
      // A committed entry can no longer expire.
      if (!isInTime(appended)) throw new PorticoError('timed_out');
    },
    async settled(): Promise<void> {
      await Promise.allSettled([...underWay.places()].map(({ value }) => value));
    },
  };
};

async function* exported(database: SqlDatabase, filter: AuditFilter, last: Promise<number>): AsyncIterable<AuditEntry> {
  const yieldToEventLoop = createYielder();
  const lastSeq = await last;
  for (let after: AuditPlace | null = null; ;) {
    const rows: readonly AuditRow[] = await readBatch(database, filter, lastSeq, after, exportBatchMax);
    for (const row of rows) yield entryOf(row);
    after = rows.at(-1) ?? null;
    if (rows.length < exportBatchMax) return;
    // SQLite reads on this thread: a reader that waits for nothing else would hold the event loop to the end.
    await yieldToEventLoop();
  }
}
