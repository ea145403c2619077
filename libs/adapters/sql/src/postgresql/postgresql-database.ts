import { setTimeout } from 'node:timers/promises';
import type { Deadline } from '@portico/domain';
import type { Pool, QueryResult } from 'pg';
import type { PreparedRead, PreparedReads, Sql, SqlDatabase, Value } from '../sql.ts';
import { Mutex } from '../mutex.ts';
import { CommitOutcomeUnknownError, selectTransactionIds, isCommitted, type TransactionIds } from './commit-outcome.ts';
import { isRetryable, violatedKeyOf } from './database-error.ts';
import { withConnection, type Execute, executeOn, limits } from './pool.ts';
import { splitBulkInsert, Statements } from './statements.ts';

/**
 * A pool of connections, all at READ COMMITTED: each statement sees all data committed before it. A change (`transact`)
 * first acquires one lock on the whole database, so changes run one at a time across all processes. The data that a
 * change reads remains current until the change commits, epochs and sequence numbers become visible in order, and no change
 * fails because of another one. Within a process, changes queue on a mutex without using a connection. Other writes
 * (`write`) lock only their rows.
 */
export class PostgresqlDatabase implements SqlDatabase {
  readonly reads: Sql;
  readonly preparedReads: PreparedReads;
  readonly #changes = new Mutex();
  /** Concurrent large reads would slow each other down until all of them time out. */
  readonly #largeReads = new Mutex();
  readonly #pendingWrites = new Set<Promise<unknown>>();
  readonly #statements = new Statements();
  readonly #pool: Pool;
  readonly #execute: Execute;
  #isClosed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#execute = executeOn(pool);
    this.reads = this.#createSql(this.#execute);
    this.preparedReads = this.#createPreparedReads();
  }

  transact<T>(work: (transaction: Sql) => Promise<T>, deadline: Deadline | null = null): Promise<T> {
    const endsAt = performance.now() + limits.queuedMs;
    const change = () => this.#retry(endsAt, () => this.#attempt(endsAt, beginChange, work));
    return this.#changes.run(change, { waitMs: limits.queueMs, deadline });
  }

  async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const deadline = performance.now() + limits.writeMs;
    const pendingWrite = this.#retry(deadline, () => this.#attempt(deadline, beginWrite, work));
    this.#pendingWrites.add(pendingWrite);
    try {
      return await pendingWrite;
    } finally {
      this.#pendingWrites.delete(pendingWrite);
    }
  }

  readonly withSnapshot: SqlDatabase['withSnapshot'] = (work) =>
    this.#attempt(performance.now() + limits.writeMs, beginSnapshot, work);

  /** Returns the condition unchanged: PostgreSQL knows the most selective index from its statistics. */
  disableIndex(condition: string): string {
    return condition;
  }

  findViolatedKey(error: unknown): string | null {
    return violatedKeyOf(error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#changes.close(), this.#largeReads.close(), Promise.allSettled(this.#pendingWrites)]);
    await this.#pool.end();
  }

  /** Retries if the server rolled back because of another transaction, but never if the outcome is unknown. */
  async #retry<T>(deadline: number, write: () => Promise<T>, attempt = 1): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof CommitOutcomeUnknownError)
        return this.#resolveOutcome(error as CommitOutcomeUnknownError<T>);
      if (!isRetryable(error) || attempt > retriesMax || performance.now() >= deadline) throw error;
      await setTimeout(Math.random() * attempt * pauseMsMax);
      return this.#retry(deadline, write, attempt + 1);
    }
  }

  /** Returns the result if the server confirms the commit. */
  async #resolveOutcome<T>(error: CommitOutcomeUnknownError<T>): Promise<T> {
    const outcome = await isCommitted(this.#execute, error.transactionIds, limits.outcomeMs);
    if (outcome) return error.result;
    throw outcome === null ? error : error.cause;
  }

  #attempt<T>(deadline: number, begin: string, work: (transaction: Sql) => Promise<T>): Promise<T> {
    return withConnection(this.#pool, deadline, async (execute, isBroken) => {
      try {
        const transactionIds = transactionIdsOf(await execute({ text: begin }));
        const result = await work(this.#createSql(execute));
        await commit(execute).catch((error: unknown) => {
          throw transactionIds && isBroken() ? new CommitOutcomeUnknownError(transactionIds, result, error) : error;
        });
        return result;
      } catch (error) {
        // If the rollback fails, the connection is discarded and the server rolls back on its own.
        if (!isBroken()) await execute({ text: 'rollback' }).catch(() => undefined);
        throw error;
      }
    });
  }

  #createSql(execute: Execute): Sql {
    const query = <Row extends object>(text: string, parameters: readonly Value[] = []): Promise<QueryResult<Row>> =>
      execute<Row>(this.#statements.query(text, parameters));

    return {
      all: async <Row>(text: string, parameters?: readonly Value[]) =>
        (await query<Row & object>(text, parameters)).rows,
      first: async <Row>(text: string, parameters?: readonly Value[]) =>
        (await query<Row & object>(text, parameters)).rows[0],
      run: async (text, parameters) => (await query(text, parameters)).rowCount ?? 0,
      runEach: async (text, parameters) => {
        for (const [bulk, values] of splitBulkInsert(text, parameters)) await query(bulk, values);
      },
    };
  }

  #createPreparedReads(): PreparedReads {
    return {
      prepareAll:
        <Row>(text: string): PreparedRead<Row[]> =>
        (...values) =>
          this.reads.all(text, values),

      prepareFirst:
        <Row>(text: string): PreparedRead<Row | undefined> =>
        (...values) =>
          this.reads.first(text, values),

      prepareLarge:
        <Row>(text: string): PreparedRead<Row | undefined> =>
        (...values) => {
          const endsAt = performance.now() + limits.queuedMs;
          const query = this.#statements.query(text, values);
          const read = () => withConnection(this.#pool, endsAt, (execute) => execute<Row & object>(query));
          return this.#largeReads.run(async () => (await read()).rows[0], { waitMs: limits.queueMs });
        },

      prepareColumn:
        <Content>(text: string): PreparedRead<Content[]> =>
        async (...values) => {
          const query = { ...this.#statements.query(text, values), rowMode: 'array' } as const;
          return (await this.#execute<[Content]>(query)).rows.map(([content]) => content);
        },
    };
  }
}

/**
 * Begins a change and locks two numbers that no other application is likely to lock: "port" in ASCII, and the number of
 * the lock.
 */
const beginChange = `begin isolation level read committed; select pg_advisory_xact_lock(1886351988, 1); ${selectTransactionIds}`;
const beginWrite = `begin isolation level read committed; ${selectTransactionIds}`;
const beginSnapshot = 'begin transaction isolation level repeatable read read only';
const retriesMax = 3;
const pauseMsMax = 25;

/**
 * Returns the ids of a transaction, which the last of its several statements selected; null for a read-only
 * transaction, which does not need to be identified.
 */
const transactionIdsOf = (results: QueryResult | readonly QueryResult[]): TransactionIds | null =>
  Array.isArray(results) ? ((results as readonly QueryResult[]).at(-1)?.rows[0] as TransactionIds) : null;

/**
 * Commits the transaction. If one of its statements failed, the server rolls the transaction back without reporting an
 * error, so the result is checked.
 */
const commit = async (execute: Execute): Promise<void> => {
  const { command } = await execute({ text: 'commit' });
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back instead of committed.');
};
