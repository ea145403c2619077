import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import { Client } from 'pg';
import { refuseOldServer } from './migrate-postgresql.ts';
import { addressOf, reachable } from './open-postgresql.ts';
import { applicationName } from './pool.ts';

/** How long an unreachable server is waited for. */
const startWaitMs = 5_000;
const connectMs = 2_000;
/** To wait for one answer, which may bring megabytes over a slow line. */
const answerMs = 600_000;
/** To wait for a lock. What holds one for longer is in use. */
const lockMs = 5_000;

/** The address without user and password. */
export const nameOf = (url: string): string => `postgresql://${addressOf(url)}`;

/** One connection without limits on how long its transactions take. Throws as `openPostgresql` does. */
export const connect = (url: string, log: Log): Promise<Client> =>
  reachable(addressOf(url), log, startWaitMs, async () => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      fallback_application_name: applicationName,
    });
    // The query under way fails by itself.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await refuseOldServer(client);
      await client.query(withoutLimits);
      await client.query(`set lock_timeout = ${lockMs}`);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  });

const withoutLimits = `select set_config(name, '0', false) from pg_settings where name in
  ('statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')`;

/** Ends the connection, which releases its locks. It may be broken already. */
export const disconnect = (client: Client): Promise<void> => client.end().catch(() => undefined);

/**
 * Throws if a process of Portico is connected to the database, as its `application_name` tells, and stays: the server may
 * take a moment to notice that one was killed.
 */
export const refuseProcesses = async (client: Client): Promise<void> => {
  for (const until = performance.now() + leaveMs; ; await setTimeout(pauseMs)) {
    // Within a transaction the server would repeat its first answer.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ readonly pid: number }>(processes, [applicationName]);
    if (rows.length === 0) return;
    if (performance.now() < until) continue;
    const pids = rows.map(({ pid }) => pid).join(', ');
    throw new Error(
      `a process uses it (pg_stat_activity has pid ${pids}): stop the service, its workers and other commands first`,
    );
  }
};

const leaveMs = 3_000;
const pauseMs = 200;

const processes = `select pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and application_name in ($1, current_setting('application_name')) order by pid`;

/** A 63-bit number that nobody else locks. */
export const newLockKey = (): string => String(randomBytes(8).readBigInt64BE() >> 1n);

/** Locks a number until the connection ends; false if another connection of the same database has it. */
export const tryLock = async (client: Client, key: string): Promise<boolean> => {
  const { rows } = await client.query<{ readonly free: boolean }>('select pg_try_advisory_lock($1::bigint) as free', [
    key,
  ]);
  return rows[0]?.free ?? false;
};
