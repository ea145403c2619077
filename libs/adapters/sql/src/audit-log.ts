import { setImmediate } from 'node:timers/promises';
import { createYielder, fulfillsWithin } from '@portico/dependencies';
import { LinkedList, PorticoError } from '@portico/domain';
import type { AuditEntry, AuditFilter, AuditLog, Deadline, Instant, ProfileId } from '@portico/domain';
import { readBatch, readLastSeq, readPage } from './audit-pages.ts';
import { type AuditPosition, type AuditRow, entryOf } from './audit-record.ts';
import { countEntries, writeEntries } from './effects.ts';
import type { Sql, SqlDatabase } from './sql.ts';

export interface SqlAuditLog extends AuditLog {
  /** Resolves once no entries are waiting to be written. */
  close(): Promise<void>;
}

export const createSqlAuditLog = (
  database: SqlDatabase,
  /** `idsInJson` is SQL that selects the strings of the JSON array passed as its `?`. */
  { idsInJson }: { readonly idsInJson: string },
): SqlAuditLog => {
  const queue = createQueue(database);
  const selectNames = `select p.id, p.email as name from profiles p where p.id in (${idsInJson})
    union all select s.id, s.name from service_accounts s where s.id in (${idsInJson})`;

  return {
    append: (entry, deadline) => queue.append({ entry, deadline }),
    close: () => queue.drain(),
    readPage: (filter, offset, limit) => readPage(database, filter, offset, limit),

    export(filter) {
      // Read as soon as `export` is called, so that entries added later are not exported.
      const lastSeq = readLastSeq(database.reads);
      // A failure surfaces when the first entry is read.
      lastSeq.catch(() => undefined);
      return exportEntries(database, filter, lastSeq);
    },

    async findActorNames(ids) {
      const idsJson = JSON.stringify(ids);
      const rows = await database.reads.all<{ id: ProfileId; name: string }>(selectNames, [idsJson, idsJson]);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    prune: (before, limit) =>
      database.transact(async (transaction) => {
        const removedEntries = await transaction.all<{ source: string; instant: Instant }>(prune, [before, limit]);
        await countEntries(transaction, removedEntries, -1);
        return removedEntries.length;
      }),
  };
};

const exportBatchMax = 500;
const prune = `delete from audit_entries where seq in
  (select seq from audit_entries where received_at < ? order by received_at, seq limit ?) returning source, instant`;

/** The longest time that a group waits for the previous group, in milliseconds: a hung connection must not block it. */
const groupWaitMs = 2_000;

interface PendingEntry {
  readonly entry: AuditEntry;
  readonly deadline: Deadline | null;
}

const isUnexpired = ({ deadline }: PendingEntry): boolean => !deadline?.hasExpired;

const tryBeginCommit = ({ deadline }: PendingEntry): boolean => {
  try {
    deadline?.beginCommit();
    return true;
  } catch {
    return false;
  }
};

/**
 * Thrown if entries of a group expire while it is being written: the group is rolled back and written again without
 * them.
 */
class EntriesExpiredError extends Error {}

/**
 * Batches entries: all entries appended in one tick of the event loop, or while earlier entries are being written,
 * share one transaction and therefore one sync. Entries whose deadline expires first are left out.
 */
const createQueue = (database: SqlDatabase) => {
  let pendingEntries: PendingEntry[] = [];
  let nextCommit: Promise<void> | null = null;
  /** The commit of the previous group, while it is in flight; never rejects. */
  let previousCommit: Promise<unknown> | null = null;
  const inFlight = new LinkedList<Promise<void>>();

  const commit = async (previous: Promise<unknown> | null): Promise<void> => {
    await setImmediate();
    if (previous) await fulfillsWithin(groupWaitMs, previous);
    let group: readonly PendingEntry[] | null = null;
    const write = async (sql: Sql): Promise<void> => {
      group = (group ?? takePendingEntries()).filter(isUnexpired);
      const entries = group.map(({ entry }) => entry);
      await writeEntries(sql, entries);
      if (!group.map(tryBeginCommit).every(Boolean)) throw new EntriesExpiredError();
    };
    for (;;) {
      try {
        await database.write(write);
        return;
      } catch (error) {
        if (!(error instanceof EntriesExpiredError)) throw error;
      }
    }
  };

  const takePendingEntries = (): PendingEntry[] => {
    const group = pendingEntries;
    pendingEntries = [];
    nextCommit = null;
    return group;
  };

  const startCommit = (): Promise<void> => {
    const commitPromise = commit(previousCommit).catch((error: unknown) => {
      // If no transaction could be opened, the pending entries fail too instead of waiting forever.
      if (nextCommit === commitPromise) takePendingEntries();
      throw error;
    });
    const node = inFlight.add(commitPromise);
    const onSettled = () => {
      inFlight.remove(node);
      if (previousCommit === settledCommit) previousCommit = null;
    };
    const settledCommit = commitPromise.then(onSettled, onSettled);
    previousCommit = settledCommit;
    return commitPromise;
  };

  return {
    async append(pendingEntry: PendingEntry): Promise<void> {
      pendingEntries.push(pendingEntry);
      nextCommit ??= startCommit();
      await nextCommit;
      // A committed entry can no longer expire.
      if (!isUnexpired(pendingEntry)) throw new PorticoError('timed_out');
    },
    async drain(): Promise<void> {
      await Promise.allSettled([...inFlight.iterateNodes()].map(({ value }) => value));
    },
  };
};

async function* exportEntries(
  database: SqlDatabase,
  filter: AuditFilter,
  pendingLastSeq: Promise<number>,
): AsyncIterable<AuditEntry> {
  const yieldToEventLoop = createYielder();
  const lastSeq = await pendingLastSeq;
  for (let after: AuditPosition | null = null; ;) {
    const rows: readonly AuditRow[] = await readBatch(database, filter, lastSeq, after, exportBatchMax);
    for (const row of rows) yield entryOf(row);
    after = rows.at(-1) ?? null;
    if (rows.length < exportBatchMax) return;
    // SQLite reads on this thread: a consumer that never waits would block the event loop for the whole export.
    await yieldToEventLoop();
  }
}
