import { Pool, type PoolClient, type PoolConfig, type QueryResult, TypeOverrides } from 'pg';
import { isConnectionUsableAfter, removeValues } from './database-error.ts';
import type { Query } from './statements.ts';

/**
 * Timeouts in milliseconds. A request waits for one or two of them, so it completes within ten seconds even if the server
 * hangs with its connections open.
 */
export const limits = {
  /**
   * The maximum number of connections of one process. The server's `max_connections` applies to all processes together.
   */
  connections: 10,
  /** The time to wait for a free connection or a new one. */
  acquireMs: 2_000,
  statementMs: 5_000,
  lockMs: 3_000,
  idleInTransactionMs: 10_000,
  /** The time to wait for the server's response, after which the connection is discarded. */
  responseMs: 5_500,
  /** The total time for queued work: waiting, a connection, its statements and, for a change, retries. */
  queuedMs: 9_000,
  /** The time to wait in the queue, which is part of `queuedMs`. */
  queueMs: 7_500,
  /** The total time for any other write, which may have waited before. */
  writeMs: 7_000,
  /** The time to find out the outcome of a commit whose connection was lost. */
  outcomeMs: 4_000,
  probeMs: 500,
} as const;

/** Creates the pool without opening a connection. */
export const createPool = (url: string): Pool => {
  const pool = new Pool(createPoolConfig(url));
  // A statement on a lost connection fails, and the pool opens another connection. Without these listeners, the error
  // event of a borrowed or an idle connection would terminate the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
};

/** Returns the settings of each connection; the URL takes precedence. TLS follows the URL's `sslmode`. */
const createPoolConfig = (url: string): PoolConfig => ({
  connectionString: url,
  // One connection is kept open, which shows other programs that this process uses the database.
  min: 1,
  max: limits.connections,
  connectionTimeoutMillis: limits.acquireMs,
  idleTimeoutMillis: 30_000,
  statement_timeout: limits.statementMs,
  lock_timeout: limits.lockMs,
  idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  query_timeout: limits.responseMs,
  keepAlive: true,
  fallback_application_name: applicationName,
  types: createIntegerParsers(),
});

/** The name shown in `pg_stat_activity`, unless the URL sets a different `application_name`. */
export const applicationName = 'portico';

/** Returns type parsers that read 64-bit integers as numbers: no stored integer exceeds 2^53. */
const createIntegerParsers = (): TypeOverrides => {
  const types = new TypeOverrides();
  types.setTypeParser(int8, Number);
  return types;
};

const int8 = 20;

export type Execute = <Row extends object>(query: Query) => Promise<QueryResult<Row>>;

/**
 * Returns a function that runs one statement on a connection of the pool within `limits.responseMs`, including the wait
 * for the connection.
 */
export const executeOn =
  (pool: Pool): Execute =>
  (query) =>
    withConnection(pool, performance.now() + limits.responseMs, (execute) => execute(query));

/** Lends a connection to `work`, until `deadline` at most. Discards the connection if it may be broken. */
export const withConnection = async <T>(
  pool: Pool,
  deadline: number,
  work: (execute: Execute, isBroken: () => boolean) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect();
  let isBroken = false;
  const execute: Execute = async (query) => {
    try {
      return await client.query({ ...query, query_timeout: remainingMsUntil(deadline) } as Query);
    } catch (error) {
      isBroken ||= !isConnectionUsableAfter(error);
      throw removeValues(error);
    }
  };
  try {
    return await work(execute, () => isBroken);
  } finally {
    release(client, isBroken);
  }
};

/** Returns at least 1: 0 would mean no limit. */
const remainingMsUntil = (deadline: number): number =>
  Math.max(1, Math.min(limits.responseMs, Math.ceil(deadline - performance.now())));

const release = (client: PoolClient, isBroken: boolean): void => {
  client.release(isBroken);
};
