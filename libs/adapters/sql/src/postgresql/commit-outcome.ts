import { setTimeout } from 'node:timers/promises';
import type { Execute } from './pool.ts';

/** A transaction whose commit was sent. */
export interface SentCommit {
  /** `pg_current_xact_id()`, as text. */
  readonly xid: string;
  /** The server process of its connection. */
  readonly pid: number;
}

/** The connection ended during the commit: only the server knows the outcome. */
export class CommitOutcomeUnknown<T> extends Error {
  readonly sent: SentCommit;
  readonly answer: T;

  constructor(sent: SentCommit, answer: T, cause: unknown) {
    super('The connection ended during a commit: its outcome is unknown', { cause });
    this.sent = sent;
    this.answer = answer;
  }
}

/** Sent after `begin`, in one round trip. */
export const identifying = 'select pg_current_xact_id()::text as xid, pg_backend_pid() as pid';

/**
 * Returns whether the transaction was committed, asking on another connection for up to `askMs`; null if that stays
 * unknown. If the transaction is still open, its backend is terminated, so that its commit cannot arrive later.
 */
export const isCommitted = async (
  execute: Execute,
  { xid, pid }: SentCommit,
  askMs: number,
): Promise<boolean | null> => {
  const until = performance.now() + askMs;
  do {
    const status = await statusOf(execute, xid);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    if (status === 'in progress') await execute({ text: endIt, values: [pid, xid] }).catch(() => undefined);
    await setTimeout(pauseMs);
  } while (performance.now() < until);
  return null;
};

const pauseMs = 100;

const statusOf = async (execute: Execute, xid: string): Promise<string | null> => {
  try {
    const { rows } = await execute<{ readonly status: string | null }>({ text: askStatus, values: [xid] });
    return rows[0]?.status ?? null;
  } catch {
    return null;
  }
};

const askStatus = 'select pg_xact_status($1::text::xid8) as status';
/** Matches the transaction too: another connection may have this pid by now. */
const endIt = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid = $1 and backend_xid = $2::text::xid8::xid`;
