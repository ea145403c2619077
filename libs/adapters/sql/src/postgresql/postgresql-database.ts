import { setTimeout } from 'node:timers/promises';
import type { Deadline } from '@portico/domain';
import { Client, type Pool, type QueryResult } from 'pg';
import type { AppendedSql, BoundText, PreparedRead, PreparedReads, Sql, SqlDatabase, Value } from '../sql.ts';
import { Mutex } from '../mutex.ts';
import { CommitOutcomeUnknown, identifying, isCommitted, type SentCommit } from './commit-outcome.ts';
import { isToBeTriedAgain, violatedKeyOf } from './database-error.ts';
import { isStored, OutcomeUnknown } from './lost-commit.ts';
import { Pipelines } from './pipeline.ts';
import { borrowed, type Execute, executeOn, limits } from './pool.ts';
import { createSingleRows, type SingleRows } from './single-rows.ts';
import { type BoundStatement, inBulk, Statements } from './statements.ts';

/**
 * A pool of connections, all at READ COMMITTED: each statement sees what was committed before it. A change (`transact`)
 * first takes one lock on the whole database, so changes run one at a time across all processes. What a change reads
 * stays true until it commits, epochs and sequences become visible in order, and no change fails because of another.
 * Within a process changes queue on a mutex, which holds no connection. Other writes (`write`) lock only their rows.
 */
export class PostgresqlDatabase implements SqlDatabase {
  readonly reads: Sql;
  readonly prepared: PreparedReads;
  readonly singleRows: SingleRows;
  readonly #mutex = new Mutex();
  readonly #writing = new Set<Promise<unknown>>();
  readonly #statements = new Statements();
  readonly #pool: Pool;
  readonly #appended: Pipelines;
  #isClosed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
    const execute = executeOn(pool);
    this.reads = this.#sqlOver(execute);
    this.#appended = new Pipelines({
      connect: () => new Client(pool.options),
      connections: limits.connections.appended,
      answerMs: limits.answerMs,
    });
    this.singleRows = createSingleRows(pool, this.#statements);
    const { small: quick, large } = this.singleRows;
    this.prepared = { ...preparedOver(this.#statements, execute), quick, large };
  }

  transact<T>(work: (transaction: Sql) => Promise<T>, deadline: Deadline | null = null): Promise<T> {
    const endsAt = performance.now() + limits.inTurnMs;
    const change = () => this.#retrying(endsAt, () => this.#attempt(endsAt, beginChange, work));
    return this.#mutex.run(change, { waitMs: limits.turnMs, deadline });
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const deadline = performance.now() + limits.writeMs;
    return this.#tracked(() => this.#retrying(deadline, () => this.#attempt(deadline, beginWrite, work)));
  }

  append(work: (sql: AppendedSql) => Promise<BoundText | null>): Promise<void> {
    const deadline = performance.now() + limits.writeMs;
    return this.#tracked(() => this.#retrying(deadline, () => this.#sendAll(deadline, work)));
  }

  async #tracked<T>(write: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const written = write();
    this.#writing.add(written);
    try {
      return await written;
    } finally {
      this.#writing.delete(written);
    }
  }

  readonly snapshot: SqlDatabase['snapshot'] = (work) =>
    this.#attempt(performance.now() + limits.writeMs, beginSnapshot, work);

  /** PostgreSQL's statistics tell which index is the narrowest. */
  unindexed(condition: string): string {
    return condition;
  }

  violatedKey(error: unknown): string | null {
    return violatedKeyOf(error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#mutex.close();
    await Promise.allSettled(this.#writing);
    await Promise.all([this.singleRows.close(), this.#appended.close()]);
    await this.#pool.end();
  }

  /** Retries if the server rolled back because of another transaction; never if the outcome is unknown. */
  async #retrying<T>(deadline: number, write: () => Promise<T>, attempt = 1): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof CommitOutcomeUnknown) return this.#settled(error as CommitOutcomeUnknown<T>);
      if (!isToBeTriedAgain(error) || attempt > retriesMax || performance.now() >= deadline) throw error;
      await setTimeout(Math.random() * attempt * pauseMsMax);
      return this.#retrying(deadline, write, attempt + 1);
    }
  }

  async #sendAll(deadline: number, work: (sql: AppendedSql) => Promise<BoundText | null>): Promise<void> {
    let proof: BoundText | null = null;
    const gather = async () => {
      const gathered: BoundStatement[] = [];
      proof = await work(this.#gatheringIn(gathered));
      return gathered;
    };
    try {
      await this.#appended.write(gather, Math.min(deadline, performance.now() + limits.answerMs));
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || !proof) throw error;
      const [text, parameters] = proof as BoundText;
      const query = this.#statements.query(text, parameters);
      const until = performance.now() + limits.outcomeMs;
      const outcome = await isStored(
        (asked) => borrowed(this.#pool, until, (execute) => execute(asked)),
        error.backend,
        query,
        limits.outcomeMs,
      );
      if (!outcome) throw outcome === null ? error : error.cause;
    }
  }

  #gatheringIn(gathered: BoundStatement[]): AppendedSql {
    return {
      runEach: async (text, parameters) => {
        for (const [bulk, values] of inBulk(text, parameters)) {
          gathered.push({ statement: this.#statements.of(bulk), values });
        }
      },
    };
  }

  /** Returns the answer if the server confirms the commit. */
  async #settled<T>(lost: CommitOutcomeUnknown<T>): Promise<T> {
    const outcome = await isCommitted(executeOn(this.#pool), lost.sent, limits.outcomeMs);
    if (outcome) return lost.answer;
    throw outcome === null ? lost : lost.cause;
  }

  #attempt<T>(deadline: number, begin: string, work: (transaction: Sql) => Promise<T>): Promise<T> {
    return borrowed(this.#pool, deadline, async (execute, isBroken) => {
      try {
        const sent = sentOf(await execute({ text: begin }));
        const answer = await work(this.#sqlOver(execute));
        await commit(execute).catch((error: unknown) => {
          throw sent && isBroken() ? new CommitOutcomeUnknown(sent, answer, error) : error;
        });
        return answer;
      } catch (error) {
        // If the rollback fails, the connection is discarded and the server rolls back by itself.
        if (!isBroken()) await execute({ text: 'rollback' }).catch(() => undefined);
        throw error;
      }
    });
  }

  #sqlOver(execute: Execute): Sql {
    const query = <Row extends object>(text: string, parameters: readonly Value[] = []): Promise<QueryResult<Row>> =>
      execute<Row>(this.#statements.query(text, parameters));

    return {
      all: async <Row>(text: string, parameters?: readonly Value[]) =>
        (await query<Row & object>(text, parameters)).rows,
      first: async <Row>(text: string, parameters?: readonly Value[]) =>
        (await query<Row & object>(text, parameters)).rows[0],
      run: async (text, parameters) => (await query(text, parameters)).rowCount ?? 0,
      runEach: async (text, parameters) => {
        for (const [bulk, all] of inBulk(text, parameters)) await query(bulk, all);
      },
    };
  }
}

const preparedOver = (statements: Statements, execute: Execute): Omit<PreparedReads, 'quick' | 'large'> => {
  const all = <Row>(text: string): PreparedRead<Row[]> => {
    const { name, text: numbered } = statements.of(text);
    return async (...values) => (await execute<Row & object>({ name, text: numbered, values: values as Value[] })).rows;
  };
  const first = <Row>(text: string): PreparedRead<Row | undefined> => {
    const rows = all<Row>(text);
    return async (...values) => (await rows(...values))[0];
  };

  return {
    all,
    first,

    column<Content>(text: string) {
      const { name, text: numbered } = statements.of(text);
      return async (...values) => {
        const query = { name, text: numbered, values: values as Value[], rowMode: 'array' } as const;
        return (await execute<[Content]>(query)).rows.map(([content]) => content);
      };
    },
  };
};

/** Two numbers that no other application is likely to lock: "port" in ASCII, and what is locked. */
const beginChange = `begin isolation level read committed; select pg_advisory_xact_lock(1886351988, 1); ${identifying}`;
const beginWrite = `begin isolation level read committed; ${identifying}`;
const beginSnapshot = 'begin transaction isolation level repeatable read read only';
const retriesMax = 3;
const pauseMsMax = 25;

/** Several statements return several results. A read-only transaction needs no identification. */
const sentOf = (results: QueryResult | readonly QueryResult[]): SentCommit | null =>
  Array.isArray(results) ? ((results as readonly QueryResult[]).at(-1)?.rows[0] as SentCommit) : null;

/** If a statement failed in it, `commit` rolls the transaction back and reports no error. */
const commit = async (execute: Execute): Promise<void> => {
  const { command } = await execute({ text: 'commit' });
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back instead of committed.');
};
