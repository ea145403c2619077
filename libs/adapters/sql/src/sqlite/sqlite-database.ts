import type { Deadline } from '@portico/domain';
import type { Database as Connection } from 'better-sqlite3';
import type { Database, Sql } from '../sql.ts';
import { Gate } from '../gate.ts';
import { retryWhileBusy } from './busy.ts';
import { PreparedSql } from './prepared-sql.ts';

/**
 * A file with two connections: `reader` can only read, and outside of any transaction, so it sees what is committed;
 * `writer` belongs to the one transaction that the gate let in. `begin immediate` takes the lock of the file first: a transaction
 * that began by reading would fail (SQLITE_BUSY_SNAPSHOT) where another process wrote before its first write.
 */
export class SqliteDatabase implements Database {
  readonly reads: Sql;
  readonly #gate = new Gate();
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #writes: Sql;
  readonly #waitMs: number;

  constructor(writer: Connection, reader: Connection, waitMs: number) {
    this.#writer = writer;
    this.#reader = reader;
    this.#waitMs = waitMs;
    this.#writes = new PreparedSql(writer);
    this.reads = new PreparedSql(reader);
  }

  transact<T>(work: (transaction: Sql) => Promise<T>, deadline: Deadline | null = null): Promise<T> {
    return this.#gate.enter(() => retryWhileBusy(this.#waitMs, () => this.#attempt(work)), { deadline });
  }

  /** There is one writer. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.transact(work);
  }

  violatedKey(error: unknown): string | null {
    return /^UNIQUE constraint failed: (.*)$/m.exec(error instanceof Error ? error.message : '')?.[1] ?? null;
  }

  async close(): Promise<void> {
    await this.#gate.close();
    // Before the writer, which as the last one checkpoints the log into the file.
    this.#reader.close();
    this.#writer.close();
  }

  async #attempt<T>(work: (transaction: Sql) => Promise<T>): Promise<T> {
    await this.#writes.run('begin immediate');
    try {
      const answer = await work(this.#writes);
      await this.#writes.run('commit');
      return answer;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (this.#writer.inTransaction) await this.#writes.run('rollback');
      throw error;
    }
  }
}
