import { existsSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { fillingMark, isFillingMark, migrationsTable, refuseUnknown } from '../migrations/index.ts';
import type { Cell, MovedRow, MoveTarget } from '../move/move.ts';
import type { MovedTable } from '../move/moved-tables.ts';
import { movedTables } from '../move/moved-tables.ts';
import { appliedOn, busyTimeoutMs, configure, migrateSqlite, tablesOf } from './migrate-sqlite.ts';
import { prepareFile } from './open-sqlite.ts';
import { aloneWithSqlite } from './sqlite-files.ts';
import { sqliteRows } from './sqlite-rows.ts';

/**
 * Creates the file, or replaces what an earlier run left of it, with all tables and the mark. `source` is the file that
 * is moved, if it is one.
 */
export const openSqliteTarget = async (path: string, from: string, source: string | null): Promise<MoveTarget> => {
  const file = resolve(path);
  const name = `sqlite:${file}`;
  try {
    if (source !== null && isSameFile(file, resolve(source))) throw new Error('it is the database to move');
    prepareFile(file);
    if (isAbandoned(file)) await removeAlone(file);
    prepareFile(file);
    await migrateSqlite(file, fillingMark(from));
    return new SqliteMoveTarget(file, name);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`${name} cannot be filled: ${reason}`, { cause });
  }
};

const isSameFile = (one: string, other: string): boolean => {
  if (!existsSync(one)) return false;
  const [left, right] = [statSync(one), statSync(other)];
  return left.dev === right.dev && left.ino === right.ino;
};

/** False for a file without tables; throws for any other database. */
const isAbandoned = (file: string): boolean => {
  const connection = new SqliteDriver(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    connection.pragma('trusted_schema = OFF');
    const tables = tablesOf(connection);
    if (tables.length === 0) return false;
    if (!tables.includes(migrationsTable)) throw new Error('it is the SQLite database of another application');
    const applied = appliedOn(connection);
    refuseUnknown(applied.filter((each) => !isFillingMark(each)));
    if (applied.some(isFillingMark)) return true;
    throw new Error('it is not empty: name a file that does not exist');
  } finally {
    connection.close();
  }
};

const removeAlone = async (file: string): Promise<void> => {
  const isAlone = await aloneWithSqlite(file, async () => {
    for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) rmSync(each, { force: true });
  });
  if (!isAlone) throw new Error('another "portico migrate" is filling it');
};

/** Rows are written without triggers, which are put back at the end. A run that crashes leaves a file to be removed. */
class SqliteMoveTarget implements MoveTarget {
  readonly name: string;
  readonly #connection: Connection;
  readonly #triggers: readonly string[];

  constructor(file: string, name: string) {
    this.name = name;
    this.#connection = new SqliteDriver(file, { fileMustExist: true, timeout: busyTimeoutMs });
    configure(this.#connection);
    this.#triggers = this.#connection
      .prepare<[], string>("select sql from sqlite_master where type = 'trigger' order by rowid")
      .pluck()
      .all();
    this.#atOnce(() => this.#empty());
  }

  async insert({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const names = columns.map((column) => column.name).join(', ');
    const statement = this.#connection.prepare<unknown[]>(
      `insert into ${name} (${names}) values (${columns.map(() => '?').join(', ')})`,
    );
    this.#atOnce(() => {
      for (const row of rows) statement.run(...row.map(bound));
    });
  }

  async setLastId({ name, identity }: MovedTable, id: number): Promise<void> {
    if (identity === null) return;
    this.#atOnce(() => {
      this.#connection.prepare('delete from sqlite_sequence where name = ?').run(name);
      if (id > 0) this.#connection.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, id);
    });
  }

  readonly snapshot: MoveTarget['snapshot'] = async (work) => {
    this.#connection.exec('begin');
    try {
      return await work(sqliteRows(this.#connection));
    } finally {
      this.#connection.exec('rollback');
    }
  };

  async finish(): Promise<void> {
    this.#atOnce(() => {
      for (const trigger of this.#triggers) this.#connection.exec(trigger);
      const remove = this.#connection.prepare('delete from schema_migrations where name = ?');
      for (const mark of appliedOn(this.#connection).filter(isFillingMark)) remove.run(mark);
    });
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  /** Without triggers, and without the rows that the migrations made. */
  #empty(): void {
    const names = this.#connection.prepare<[], string>("select name from sqlite_master where type = 'trigger'");
    for (const name of names.pluck().all()) this.#connection.exec(`drop trigger ${name}`);
    for (const { name } of movedTables.toReversed()) this.#connection.exec(`delete from ${name}`);
  }

  #atOnce(work: () => void): void {
    this.#connection.transaction(work).immediate();
  }
}

/** SQLite has no booleans. */
const bound = (cell: Cell): unknown => (typeof cell === 'boolean' ? Number(cell) : cell);
