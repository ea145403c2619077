import { setTimeout } from 'node:timers/promises';
import type { Execute } from './pool.ts';

/** A transaction whose commit was sent. */
export interface TransactionIds {
  /** `pg_current_xact_id()`, as text. */
  readonly xid: string;
  /** The id of the server process that handles the connection. */
  readonly pid: number;
}

/** Thrown if the connection was lost during the commit: only the server knows the outcome. */
export class CommitOutcomeUnknownError<T> extends Error {
  readonly transactionIds: TransactionIds;
  readonly result: T;

  constructor(transactionIds: TransactionIds, result: T, cause: unknown) {
    super('The connection was lost during a commit: its outcome is unknown', { cause });
    this.transactionIds = transactionIds;
    this.result = result;
  }
}

/** Sent after `begin`, in one round trip. */
export const selectTransactionIds = 'select pg_current_xact_id()::text as xid, pg_backend_pid() as pid';

/**
 * Returns whether the transaction was committed, or null if that remains unknown. Queries the server on a different
 * connection for up to `timeoutMs`. If the transaction is still open, its backend is terminated, so that its commit
 * cannot arrive later.
 */
export const isCommitted = async (
  execute: Execute,
  { xid, pid }: TransactionIds,
  timeoutMs: number,
): Promise<boolean | null> => {
  const deadline = performance.now() + timeoutMs;
  do {
    const status = await readStatus(execute, xid);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    if (status === 'in progress') await execute({ text: terminateBackend, values: [pid, xid] }).catch(() => undefined);
    await setTimeout(pauseMs);
  } while (performance.now() < deadline);
  return null;
};

const pauseMs = 100;

const readStatus = async (execute: Execute, xid: string): Promise<string | null> => {
  try {
    const { rows } = await execute<{ readonly status: string | null }>({ text: selectStatus, values: [xid] });
    return rows[0]?.status ?? null;
  } catch {
    return null;
  }
};

const selectStatus = 'select pg_xact_status($1::text::xid8) as status';
/** Matches the transaction as well as the pid, because another connection may have this pid by now. */
const terminateBackend = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid = $1 and backend_xid = $2::text::xid8::xid`;
