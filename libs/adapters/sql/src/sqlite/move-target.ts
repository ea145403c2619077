import { existsSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Log } from '@portico/dependencies';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { fillingMarkOf, isFillingMark, migrationsTable, rejectUnknown } from '../migrations/index.ts';
import type { Cell, MovedRow, MoveTarget } from '../move/move.ts';
import { movedTables, type MovedTable } from '../move/moved-tables.ts';
import { deleteRows, insertRow } from '../move/statements.ts';
import { readAppliedNames, tablesOf } from './applied-migrations.ts';
import { busyTimeoutMs, configure } from './configure.ts';
import { migrateSqlite } from './migrate-sqlite.ts';
import { prepareFile } from './open-sqlite.ts';
import { withExclusiveSqlite } from './sqlite-files.ts';
import { createSqliteRows } from './sqlite-rows.ts';

/**
 * Creates the file with all tables and the mark, or replaces an incomplete file of an earlier run. `source` is the file
 * to move, if the source is a file.
 */
export const openSqliteTarget = async (
  path: string,
  sourceName: string,
  source: string | null,
  log: Log,
): Promise<MoveTarget> => {
  const file = resolve(path);
  const name = `sqlite:${file}`;
  try {
    if (source !== null && isSameFile(file, resolve(source))) throw new Error('it is the source of the move');
    prepareFile(file);
    if (isAbandoned(file)) await removeExclusively(file);
    prepareFile(file);
    await migrateSqlite(file, log, fillingMarkOf(sourceName));
    return createEmptyTarget(name, new SqliteDriver(file, { fileMustExist: true, timeout: busyTimeoutMs }));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`${name} cannot be filled: ${reason}`, { cause });
  }
};

const isSameFile = (path: string, otherPath: string): boolean => {
  if (!existsSync(path)) return false;
  const [stats, otherStats] = [statSync(path), statSync(otherPath)];
  return stats.dev === otherStats.dev && stats.ino === otherStats.ino;
};

/**
 * Returns whether an earlier run left the file incomplete. Returns false if there are no tables; throws for other
 * databases.
 */
const isAbandoned = (file: string): boolean => {
  const connection = new SqliteDriver(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    connection.pragma('trusted_schema = OFF');
    const tables = tablesOf(connection);
    if (tables.length === 0) return false;
    if (!tables.includes(migrationsTable)) throw new Error('it is the SQLite database of another application');
    const appliedNames = readAppliedNames(connection);
    rejectUnknown(appliedNames.filter((migration) => !isFillingMark(migration)));
    if (appliedNames.some(isFillingMark)) return true;
    throw new Error('it is not empty: name a file that does not exist');
  } finally {
    connection.close();
  }
};

const removeExclusively = async (file: string): Promise<void> => {
  const isExclusive = await withExclusiveSqlite(file, async () => {
    for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) rmSync(path, { force: true });
  });
  if (!isExclusive) throw new Error('another "portico migrate" is filling it');
};

/** Removes the triggers, and the rows that the migrations inserted. */
const createEmptyTarget = (name: string, connection: Connection): MoveTarget => {
  try {
    configure(connection);
    const triggers = connection
      .prepare<[], Trigger>("select name, sql from sqlite_master where type = 'trigger' order by rowid")
      .all();
    runInTransaction(connection, () => {
      for (const trigger of triggers) connection.exec(dropTrigger(trigger.name));
      for (const table of movedTables.toReversed()) connection.exec(deleteRows(table));
    });
    return new SqliteMoveTarget(name, connection, triggers);
  } catch (error) {
    connection.close();
    throw error;
  }
};

const runInTransaction = (connection: Connection, work: () => void): void => {
  connection.transaction(work).immediate();
};

/**
 * Writes rows without triggers, which are recreated at the end. A run that crashes leaves a file that has to be
 * removed.
 */
class SqliteMoveTarget implements MoveTarget {
  readonly name: string;
  readonly #connection: Connection;
  readonly #triggers: readonly Trigger[];

  constructor(name: string, connection: Connection, triggers: readonly Trigger[]) {
    this.name = name;
    this.#connection = connection;
    this.#triggers = triggers;
  }

  async insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const statement = this.#connection.prepare<unknown[]>(insertRow(table));
    this.#runInTransaction(() => {
      for (const row of rows) statement.run(...row.map(toBinding));
    });
  }

  async setLastId({ name, identity }: MovedTable, id: number): Promise<void> {
    if (identity === null) return;
    this.#runInTransaction(() => {
      this.#connection.prepare('delete from sqlite_sequence where name = ?').run(name);
      if (id > 0)
        this.#connection.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, toBinding(id));
    });
  }

  readonly withSnapshot: MoveTarget['withSnapshot'] = async (work) => {
    this.#connection.exec('begin');
    try {
      return await work(createSqliteRows(this.#connection));
    } finally {
      this.#connection.exec('rollback');
    }
  };

  async finish(): Promise<void> {
    this.#runInTransaction(() => {
      for (const { sql } of this.#triggers) this.#connection.exec(sql);
      const remove = this.#connection.prepare('delete from schema_migrations where name = ?');
      for (const mark of readAppliedNames(this.#connection).filter(isFillingMark)) remove.run(mark);
    });
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #runInTransaction(work: () => void): void {
    runInTransaction(this.#connection, work);
  }
}

interface Trigger {
  readonly name: string;
  /** The statement that created the trigger. */
  readonly sql: string;
}

const dropTrigger = (name: string): string => `drop trigger ${name}`;

/**
 * Converts a cell for binding: SQLite has no booleans, and the driver binds a number as a float, which only an integer
 * column converts.
 */
const toBinding = (cell: Cell): unknown => {
  if (typeof cell === 'boolean') return cell ? 1n : 0n;
  return Number.isSafeInteger(cell) ? BigInt(cell as number) : cell;
};
