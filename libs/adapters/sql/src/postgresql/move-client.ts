import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import { Client } from 'pg';
import { rejectOldServer } from './migrate-postgresql.ts';
import { addressOf, retryUntilReachable } from './open-postgresql.ts';
import { applicationName } from './pool.ts';

/** The time to wait for an unreachable server. */
const startWaitMs = 5_000;
const connectMs = 2_000;
/** The time to wait for one response, which may consist of megabytes and arrive over a slow connection. */
const responseMs = 600_000;
/** The time to wait for a lock. A process that holds a lock for longer is using the database. */
const lockMs = 5_000;

/** Returns the address without user and password. */
export const nameOf = (url: string): string => `postgresql://${addressOf(url)}`;

/** Opens one connection without limits on the duration of its transactions. Throws like `openPostgresql`. */
export const connect = (url: string, log: Log): Promise<Client> =>
  retryUntilReachable(addressOf(url), log, startWaitMs, async () => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: responseMs,
      keepAlive: true,
      fallback_application_name: applicationName,
    });
    // The pending query rejects anyway.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await rejectOldServer(client);
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

/** Closes the connection, which may already be broken. This releases its locks. */
export const disconnect = (client: Client): Promise<void> => client.end().catch(() => undefined);

/**
 * Throws if a Portico process, identified by its `application_name`, is connected to the database and remains
 * connected: the server may take a moment to notice that a process was killed.
 */
export const rejectProcesses = async (client: Client): Promise<void> => {
  for (const deadline = performance.now() + disconnectMs; ; await setTimeout(pauseMs)) {
    // Otherwise, within a transaction, the server would repeat its first result.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ readonly pid: number }>(selectProcesses, [applicationName]);
    if (rows.length === 0) return;
    if (performance.now() < deadline) continue;
    const pids = rows.map(({ pid }) => pid).join(', ');
    throw new Error(
      `it is in use by a process (pg_stat_activity has pid ${pids}): stop the service, its workers and other commands first`,
    );
  }
};

const disconnectMs = 3_000;
const pauseMs = 200;

const selectProcesses = `select pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and application_name in ($1, current_setting('application_name')) order by pid`;

/** Returns a random 63-bit number, which no other process locks. */
export const createLockKey = (): string => String(randomBytes(8).readBigInt64BE() >> 1n);

/**
 * Locks a number until the connection closes. Returns false if another connection to the same database has locked it.
 */
export const tryLock = async (client: Client, key: string): Promise<boolean> => {
  const { rows } = await client.query<{ readonly isFree: boolean }>(
    'select pg_try_advisory_lock($1::bigint) as "isFree"',
    [key],
  );
  return rows[0]?.isFree ?? false;
};
