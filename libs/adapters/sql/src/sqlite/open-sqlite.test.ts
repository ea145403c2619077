import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startChild } from '../../test/child.ts';
import { migrationOptions, withFile } from '../../test/with-stores.ts';
import { openSqlStores, type SqlStores } from '../index.ts';
import { migrations } from '../migrations/index.ts';
import { appliedOn, lacksMigrations } from './applied-migrations.ts';
import { ormOptions } from './migrate-sqlite.ts';
import { openSqlite } from './open-sqlite.ts';

const open = (file: string): Promise<SqlStores> => openSqlStores({ kind: 'sqlite', file });

/** Works on the file as another program would. */
const onFile = async <T>(file: string, work: (connection: SqliteDriver.Database) => T): Promise<T> => {
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
    const orm = await MikroORM.init(ormOptions(file));
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

test('each connection is configured to lose nothing and to trust nothing', () =>
  withFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrationOptions);
    const setting = (name: string) => writer.pragma(name, { simple: true });
    expect(setting('journal_mode')).toBe('wal');
    // 2 means FULL: each commit syncs the log before others see the commit.
    expect(setting('synchronous')).toBe(2);
    expect(setting('foreign_keys')).toBe(1);
    expect(setting('trusted_schema')).toBe(0);
    // SQLite's own busy timeout blocks the event loop.
    expect(setting('busy_timeout')).toBe(0);
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
    expect(await stores.audit.page({ source: 'all' }, 0, 1)).toMatchObject({ total: 20 });
    await close();
  }));

test('a database that lacks a migration gets it', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await onFile(file, (connection) => {
      connection.exec("drop index jobs_kind_index; delete from schema_migrations where name = '0002-due-jobs-by-kind'");
    });
    await (await open(file)).close();
    expect((await onFile(file, appliedOn)).toSorted()).toEqual(migrations.map((migration) => migration.name));
    const orm = await MikroORM.init(ormOptions(file));
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
    await orm.close(true);
  }));

test('the check for missing migrations takes the lock of writers', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await onFile(file, (connection) => {
      const other = new SqliteDriver(file, { timeout: 0 });
      connection.exec('begin immediate');
      expect(() => lacksMigrations(other, 'refuse')).toThrow('database is locked');
      connection.exec('rollback');
      expect(lacksMigrations(other, 'refuse')).toBe(false);
      other.close();
    });
  }));

test('a database written by a newer version is refused', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await onFile(file, (connection) =>
      connection.exec("insert into schema_migrations (name) values ('9999-of-the-future')"),
    );
    await expect(open(file)).rejects.toThrow(
      `The database ${file} cannot be opened: it has the migration 9999-of-the-future, which this version does not know`,
    );
  }));

test.for([
  ['some text', 'No database at all.'],
  ['text of many pages', 'No database at all. '.repeat(1_000)],
])('a file that contains %s is refused and left unchanged', ([, content = '']) =>
  withFile(async (file) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: it is not a SQLite database`);
    expect(await readFile(file, 'utf8')).toBe(content);
  }),
);

test('a database with damaged pages is refused', () =>
  withFile(async (file) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `SQLite format 3\0${'x'.repeat(10_000)}`);
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: file is not a database`);
  }));

test('the database of another application is refused and left unchanged', () =>
  withFile(async (file) => {
    await onFile(file, (connection) => connection.exec('create table invoices (number integer)'));
    await expect(open(file)).rejects.toThrow('it is the SQLite database of another application');
    await onFile(file, (connection) =>
      expect(connection.prepare('select name from sqlite_master').pluck().all()).toEqual(['invoices']),
    );
  }));

test('a folder in the place of the file is refused', () =>
  withFile(async (file) => {
    await mkdir(file, { recursive: true });
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: `);
  }));
