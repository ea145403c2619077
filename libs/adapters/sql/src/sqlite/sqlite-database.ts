import type { Log } from '@portico/dependencies';
import type { Deadline } from '@portico/domain';
import type { SqlDatabase, Sql } from '../sql.ts';
import { Mutex } from '../mutex.ts';
import { retryWhileBusy } from './busy.ts';
import { Checkpoints } from './checkpoints.ts';
import type { OpenSqlite } from './open-sqlite.ts';
import { PreparedSql } from './statements.ts';

/**
 * A file with one connection per purpose, so that no read runs between two statements of a transaction. `begin
 * immediate` acquires the file's lock first: a transaction that started with a read would fail (SQLITE_BUSY_SNAPSHOT)
 * if another process wrote before the transaction's first write.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly reads: Sql;
  readonly #mutex = new Mutex();
  readonly #snapshotMutex = new Mutex();
  readonly #connections: OpenSqlite;
  readonly #writes: PreparedSql;
  readonly #snapshots: Sql;
  readonly #checkpoints: Checkpoints;
  readonly #waitMs: number;

  constructor(connections: OpenSqlite, waitMs: number, log: Pick<Log, 'warn'> | null = null) {
    this.#connections = connections;
    this.#checkpoints = new Checkpoints(connections.file, log);
    this.#waitMs = waitMs;
    this.reads = new PreparedSql(connections.reader);
    this.#writes = new PreparedSql(connections.writer);
    this.#snapshots = new PreparedSql(connections.snapshots);
  }

  transact<T>(work: (transaction: Sql) => Promise<T>, deadline: Deadline | null = null): Promise<T> {
    return this.#mutex.run(() => retryWhileBusy(this.#waitMs, () => this.#attempt(work)), { deadline });
  }

  /** Runs `work` like `transact`, because there is only one writer. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.transact(work);
  }

  readonly withSnapshot: SqlDatabase['withSnapshot'] = (work) =>
    this.#snapshotMutex.run(async () => {
      await this.#snapshots.run('begin');
      try {
        return await work(this.#snapshots);
      } finally {
        await this.#snapshots.run('rollback');
      }
    });

  /** Adds a unary plus, which keeps SQLite from using the condition's index. */
  disableIndex(condition: string): string {
    return `+${condition}`;
  }

  findViolatedKey(error: unknown): string | null {
    return /^UNIQUE constraint failed: (.*)$/m.exec(error instanceof Error ? error.message : '')?.[1] ?? null;
  }

  async close(): Promise<void> {
    await Promise.all([this.#mutex.close(), this.#snapshotMutex.close()]);
    await this.#checkpoints.close();
    const { writer, reader, snapshots } = this.#connections;
    // The writer closes last, which checkpoints the log into the file.
    for (const connection of [reader, snapshots, writer]) connection.close();
  }

  async #attempt<T>(work: (transaction: Sql) => Promise<T>): Promise<T> {
    const { writer } = this.#connections;
    try {
      await this.#writes.run('begin immediate');
      const result = await work(this.#writes);
      await this.#writes.run('commit');
      this.#checkpoints.onCommit();
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (writer.inTransaction) await this.#writes.run('rollback');
      throw error;
    }
  }
}
