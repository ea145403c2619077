import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startChild } from '../../test/child.ts';
import { migrationOptions, withFile } from '../../test/with-stores.ts';
import { openSqlStores, type SqlStores } from '../index.ts';
import { migrations } from '../migrations/index.ts';
import { readAppliedNames, lacksMigrations } from './applied-migrations.ts';
import { createOrmOptions } from './migrate-sqlite.ts';
import { openSqlite } from './open-sqlite.ts';

const open = (file: string): Promise<SqlStores> => openSqlStores({ kind: 'sqlite', file });

/** Works on the file as another program would. */
const runOnFile = async <T>(file: string, work: (connection: SqliteDriver.Database) => T): Promise<T> => {
  await mkdir(dirname(file), { recursive: true });
  const connection = new SqliteDriver(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
};

test('the migrations create exactly the tables of the entities', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    const orm = await MikroORM.init(createOrmOptions(file));
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
    await orm.close(true);
  }));

test('only the owner can read the folder and the files that are created', () =>
  withFile(async (file) => {
    const { close } = await open(file);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
    await close();
  }));

test('each connection is configured to lose no data and not to trust the schema', () =>
  withFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrationOptions);
    const readPragma = (name: string) => writer.pragma(name, { simple: true });
    expect(readPragma('journal_mode')).toBe('wal');
    // 2 means FULL: each commit syncs the log before others see the commit.
    expect(readPragma('synchronous')).toBe(2);
    expect(readPragma('foreign_keys')).toBe(1);
    expect(readPragma('trusted_schema')).toBe(0);
    // SQLite's own busy timeout blocks the event loop.
    expect(readPragma('busy_timeout')).toBe(0);
    for (const connection of [reader, snapshots]) {
      expect(connection.pragma('trusted_schema', { simple: true })).toBe(0);
      expect(() => connection.exec('delete from settings')).toThrow('readonly');
      connection.close();
    }
    writer.close();
  }));

test('several processes can open a new file concurrently', () =>
  withFile(async (file) => {
    const children = Array.from({ length: 4 }, () => startChild('append-entries.ts', file, '5'));
    for (const { exited } of children) expect(await exited).toEqual({ code: 0, signal: null });
    const { stores, close } = await open(file);
    expect(await stores.audit.readPage({ source: 'all' }, 0, 1)).toMatchObject({ total: 20 });
    await close();
  }));

test('a database that lacks a migration gets it', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await runOnFile(file, (connection) => {
      connection.exec("drop index jobs_kind_index; delete from schema_migrations where name = '0002-due-jobs-by-kind'");
    });
    await (await open(file)).close();
    expect((await runOnFile(file, readAppliedNames)).toSorted()).toEqual(migrations.map((migration) => migration.name));
    const orm = await MikroORM.init(createOrmOptions(file));
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
    await orm.close(true);
  }));

test('the check for missing migrations acquires the write lock', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await runOnFile(file, (connection) => {
      const otherConnection = new SqliteDriver(file, { timeout: 0 });
      connection.exec('begin immediate');
      expect(() => lacksMigrations(otherConnection, 'reject')).toThrow('database is locked');
      connection.exec('rollback');
      expect(lacksMigrations(otherConnection, 'reject')).toBe(false);
      otherConnection.close();
    });
  }));

test('a database written by a newer version is rejected', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await runOnFile(file, (connection) =>
      connection.exec("insert into schema_migrations (name) values ('9999-of-the-future')"),
    );
    await expect(open(file)).rejects.toThrow(
      `The database ${file} cannot be opened: it has the migration 9999-of-the-future, which this version does not know`,
    );
  }));

test.for([
  ['some text', 'No database at all.'],
  ['text of many pages', 'No database at all. '.repeat(1_000)],
])('a file that contains %s is rejected and left unchanged', ([, content = '']) =>
  withFile(async (file) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: it is not a SQLite database`);
    expect(await readFile(file, 'utf8')).toBe(content);
  }),
);

test('a database with damaged pages is rejected', () =>
  withFile(async (file) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `SQLite format 3\0${'x'.repeat(10_000)}`);
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: file is not a database`);
  }));

test('the database of another application is rejected and left unchanged', () =>
  withFile(async (file) => {
    await runOnFile(file, (connection) => connection.exec('create table invoices (number integer)'));
    await expect(open(file)).rejects.toThrow('it is the SQLite database of another application');
    await runOnFile(file, (connection) =>
      expect(connection.prepare('select name from sqlite_master').pluck().all()).toEqual(['invoices']),
    );
  }));

test('a folder in place of the file is rejected', () =>
  withFile(async (file) => {
    await mkdir(file, { recursive: true });
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: `);
  }));
