import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Execute } from './pool.ts';
import type { Query } from './statements.ts';

/** The server process of a connection. Another one may have its `pid` later, but not its start. */
export interface Backend {
  readonly pid: number;
  /** In microseconds since 1970. */
  readonly startedAt: number;
}

/** The connection ended before the answer to a transaction that was sent: only the server knows the outcome. */
export class OutcomeUnknown extends Error {
  readonly backend: Backend;

  constructor(backend: Backend, cause: unknown) {
    super('The connection ended during a commit: its outcome is unknown', { cause });
    this.backend = backend;
  }
}

const started = `(extract(epoch from backend_start) * 1000000)::bigint`;
const selectBackend = `select pid, ${started} as "startedAt" from pg_stat_activity where pid = pg_backend_pid()`;

export const readBackend = async (client: Client): Promise<Backend> => {
  const { rows } = await client.query<Backend>(selectBackend);
  if (!rows[0]) throw new Error('Connection terminated: the server does not know its own process');
  return rows[0];
};

/**
 * Returns whether the transaction of a lost connection was committed, asking on other connections for up to `askMs`; null
 * if that stays unknown. `proof` finds a row exactly if it was. It is asked once the server process has ended, and that is
 * terminated, so that the commit cannot arrive later.
 */
export const isStored = async (
  execute: Execute,
  { pid, startedAt }: Backend,
  proof: Query,
  askMs: number,
): Promise<boolean | null> => {
  const until = performance.now() + askMs;
  do {
    try {
      const { rowCount } = await execute({ text: endIt, values: [pid, startedAt] });
      if (rowCount === 0) return ((await execute(proof)).rowCount ?? 0) > 0;
    } catch {
      // Asked again.
    }
    await setTimeout(pauseMs);
  } while (performance.now() < until);
  return null;
};

const pauseMs = 100;
const endIt = `select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and ${started} = $2`;
