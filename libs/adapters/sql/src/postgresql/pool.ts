import { Pool, type PoolClient, type PoolConfig, type QueryResult, TypeOverrides } from 'pg';
import { Mutex } from '../mutex.ts';
import { isConnectionUsableAfter, withoutValues } from './database-error.ts';
import type { Query } from './statements.ts';

/**
 * How long things may take, in milliseconds. A request does one or two of them, and ends within ten seconds even where the
 * server has stopped to answer and keeps its connections open.
 */
export const limits = {
  /** Of a process, at most. The server's `max_connections` holds for all of them together. */
  connections: 10,
  /** Until a connection is free, or made. */
  acquireMs: 2_000,
  statementMs: 5_000,
  lockMs: 3_000,
  idleInTransactionMs: 10_000,
  /** Until the server's answer is no longer waited for, the connection that it was asked on is given up with it. */
  answerMs: 5_500,
  /** All of what has to wait for its turn: the turn, a connection, its statements and, of a change, further attempts. */
  inTurnMs: 9_000,
  /** A turn, within `inTurnMs`. */
  turnMs: 7_500,
  /** All of another write, which may have waited before. */
  writeMs: 7_000,
  /** Until it is given up to ask what has become of a commit whose connection has ended. */
  outcomeMs: 4_000,
  probeMs: 500,
} as const;

/** Connects to nothing yet. */
export const createPool = (url: string): Pool => {
  const pool = new Pool(poolConfig(url));
  // A connection that ends is reported to the statement on it, and the pool makes another. Without these listeners the event,
  // of one that is lent out or one that is idle, would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
};

/** What is set of each connection; the address comes first. TLS is as its `sslmode` says. */
const poolConfig = (url: string): PoolConfig => ({
  connectionString: url,
  max: limits.connections,
  connectionTimeoutMillis: limits.acquireMs,
  idleTimeoutMillis: 30_000,
  statement_timeout: limits.statementMs,
  lock_timeout: limits.lockMs,
  idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  query_timeout: limits.answerMs,
  keepAlive: true,
  fallback_application_name: applicationName,
  types: integersAsNumbers(),
});

/** What `pg_stat_activity` shows of each connection, unless the address says another (`application_name`). */
export const applicationName = 'portico';

/** 64-bit integers are numbers: none that is kept goes beyond 2^53. */
const integersAsNumbers = (): TypeOverrides => {
  const types = new TypeOverrides();
  types.setTypeParser(int8, Number);
  return types;
};

const int8 = 20;

export type Execute = <Row extends object>(query: Query) => Promise<QueryResult<Row>>;

/** One statement on a connection of the pool, answered or given up within `limits.answerMs`, the wait for it included. */
export const executeOn =
  (pool: Pool): Execute =>
  (query) =>
    borrowed(pool, performance.now() + limits.answerMs, (execute) => execute(query));

/**
 * As `executeOn`, but one statement after another, the wait for its turn not counted as the server's: for answers so large
 * that of several at once each would take the time of all, and none would be there within its own.
 */
export const executeInTurnOn = (pool: Pool): Execute => {
  const mutex = new Mutex();
  return (query) => {
    const deadline = performance.now() + limits.inTurnMs;
    return mutex.run(() => borrowed(pool, deadline, (execute) => execute(query)), {
      waitMs: limits.turnMs,
    });
  };
};

/** Lends out a connection until `work` has ended, at most until `deadline`. It is given up where it may be broken. */
export const borrowed = async <T>(
  pool: Pool,
  deadline: number,
  work: (execute: Execute, isBroken: () => boolean) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect();
  let isBroken = false;
  const execute: Execute = async (query) => {
    try {
      return await client.query({ ...query, query_timeout: remainingMs(deadline) } as Query);
    } catch (error) {
      isBroken ||= !isConnectionUsableAfter(error);
      throw withoutValues(error);
    }
  };
  try {
    return await work(execute, () => isBroken);
  } finally {
    release(client, isBroken);
  }
};

/** No less than 1, for 0 would be no limit. */
const remainingMs = (deadline: number): number =>
  Math.max(1, Math.min(limits.answerMs, Math.ceil(deadline - performance.now())));

const release = (client: PoolClient, isBroken: boolean): void => {
  client.release(isBroken);
};
