import { setImmediate } from 'node:timers/promises';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrating, withMigratedFile } from '../../test/with-stores.ts';
import { openSqlite, type OpenSqlite } from './open-sqlite.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { prepareSqliteReads } from './statements.ts';

interface Opened {
  readonly connections: OpenSqlite;
  readonly database: SqliteDatabase;
  /** How many settings there are, by a prepared read. */
  readonly count: () => Promise<number | undefined>;
  /** Adds one in this process. */
  readonly add: (name: string) => Promise<void>;
  /** Adds one as another process does. */
  readonly addElsewhere: (name: string) => void;
}

const insert = "insert into settings (name, value) values (?, '')";

const withOpened = (work: (opened: Opened) => Promise<void>): Promise<void> =>
  withMigratedFile(async (file) => {
    const connections = await openSqlite(file, migrating);
    const database = new SqliteDatabase(connections, 1_000);
    const counted = prepareSqliteReads(connections, database).column<number>('select count(*) from settings');
    const other = new SqliteDriver(file);
    try {
      await work({
        connections,
        database,
        count: async () => (await counted())[0],
        add: (name) => database.write(async (sql) => void (await sql.run(insert, [name]))),
        addElsewhere: (name) => void other.prepare(insert).run(name),
      });
    } finally {
      other.close();
      await database.close();
    }
  });

test('reads that follow each other see one state, those after a turn what was committed meanwhile', () =>
  withOpened(async ({ connections, count, addElsewhere }) => {
    expect(await count()).toBe(0);
    addElsewhere('a');
    expect(await count()).toBe(0);
    expect(connections.writer.inTransaction).toBe(true);
    await setImmediate();
    expect(connections.writer.inTransaction).toBe(false);
    expect(await count()).toBe(1);
  }));

test('it ends before anything else comes, however long reads follow each other', () =>
  withOpened(async ({ count, addElsewhere }) => {
    const turn = setImmediate().then(() => void addElsewhere('a'));
    for (let read = 0; read < 100; read += 1) expect(await count()).toBe(0);
    await turn;
    expect(await count()).toBe(1);
  }));

test('a read after a change of this process sees it at once, and what others committed before', () =>
  withOpened(async ({ count, add, addElsewhere }) => {
    expect(await count()).toBe(0);
    addElsewhere('a');
    await add('b');
    expect(await count()).toBe(2);
  }));

test('a change whose transaction fails ends it too', () =>
  withOpened(async ({ database, count, addElsewhere }) => {
    expect(await count()).toBe(0);
    addElsewhere('a');
    const failing = database.transact(() => Promise.reject(new Error('rolled back')));
    await expect(failing).rejects.toThrow('rolled back');
    expect(await count()).toBe(1);
  }));

test('it may have been ended by a read that failed', () =>
  withOpened(async ({ connections, count, add }) => {
    expect(await count()).toBe(0);
    connections.writer.exec('rollback');
    await setImmediate();
    expect(await count()).toBe(0);
    connections.writer.exec('rollback');
    await add('a');
    expect(await count()).toBe(1);
  }));

test('a database may be closed right after a read', () =>
  withMigratedFile(async (file) => {
    const connections = await openSqlite(file, migrating);
    const database = new SqliteDatabase(connections, 1_000);
    await prepareSqliteReads(connections, database).all('select name from settings')();
    await database.close();
    await setImmediate();
    expect(connections.writer.open).toBe(false);
  }));
