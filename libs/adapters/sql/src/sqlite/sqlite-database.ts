import type { MikroORM } from '@mikro-orm/sqlite';
import type { Deadline } from '@portico/domain';
import type { Database as Connection } from 'better-sqlite3';
import type { Database, Sql, Transaction } from '../sql.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { Gate } from '../gate.ts';
import { retryWhileBusy } from './busy.ts';
import { PreparedSql } from './prepared-sql.ts';

/**
 * A file with two connections: `reader` can only read, and outside of any transaction, so it sees what is committed;
 * `writer` belongs to MikroORM and to the one unit of work that the gate let in.
 *
 * The transaction is opened on the connection itself and MikroORM is told to open none: MikroORM's own would
 * be deferred (`begin`), and so fail by SQLITE_BUSY_SNAPSHOT where another process wrote between its first read and its
 * first write. `begin immediate` takes the lock first. As there is no other connection that MikroORM could take, whatever
 * it sends while the gate is held is inside, and prepared statements on the same connection are too.
 */
export class SqliteDatabase implements Database {
  readonly reads: Sql;
  readonly #gate = new Gate();
  readonly #orm: MikroORM;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #writes: Sql;
  readonly #waitMs: number;

  constructor(orm: MikroORM, writer: Connection, reader: Connection, waitMs: number) {
    this.#orm = orm;
    this.#writer = writer;
    this.#reader = reader;
    this.#waitMs = waitMs;
    this.#writes = new PreparedSql(writer);
    this.reads = new PreparedSql(reader);
  }

  transact<T>(work: (transaction: Transaction) => Promise<T>, deadline: Deadline | null = null): Promise<T> {
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
    await this.#orm.close(true);
  }

  async #attempt<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    await this.#writes.run('begin immediate');
    try {
      const unit = new UnitOfWork(this.#writes, () => this.#orm.em.fork({ useContext: false }));
      const answer = await work(unit);
      await unit.flush();
      await this.#writes.run('commit');
      return answer;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (this.#writer.inTransaction) await this.#writes.run('rollback');
      throw error;
    }
  }
}
