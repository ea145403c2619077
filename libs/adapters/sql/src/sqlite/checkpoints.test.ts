import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrationOptions, withMigratedFile } from '../../test/with-stores.ts';
import { Checkpoints } from './checkpoints.ts';
import { openSqlite } from './open-sqlite.ts';

interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

/** Opens a new database, and passes `work` functions that fill its log and count the log's pages. */
const withLog = (
  work: (checkpoints: Checkpoints, fillLog: (readLogPages: number) => void, readLogPages: () => LogPages) => unknown,
) =>
  withMigratedFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrationOptions);
    writer.exec('create table filler (content blob)');
    const checkpoints = new Checkpoints(file);
    const fillLog = (pages: number): void =>
      void writer.prepare('insert into filler values (?)').run(Buffer.alloc(pages * 4_096));
    const readLogPages = () => (writer.pragma('wal_checkpoint(NOOP)') as readonly [LogPages])[0];
    try {
      await work(checkpoints, fillLog, readLogPages);
    } finally {
      await checkpoints.close();
      for (const connection of [reader, snapshots, writer]) connection.close();
    }
  });

test('many committed pages are copied into the file without any commit waiting for it', () =>
  withLog(async (checkpoints, fillLog, pages) => {
    fillLog(3_000);
    expect(pages().checkpointed).toBe(0);
    checkpoints.onCommit();
    while (pages().checkpointed < pages().log) await pause(20);
    expect(pages().log).toBeGreaterThan(3_000);
  }));

test('few pages remain in the log', () =>
  withLog(async (checkpoints, fillLog, pages) => {
    fillLog(500);
    checkpoints.onCommit();
    await pause(300);
    expect(pages()).toMatchObject({ checkpointed: 0 });
  }));

test('the log restarts from its beginning after it was copied', () =>
  withLog(async (checkpoints, fillLog, pages) => {
    for (let round = 0; round < 5; round++) {
      fillLog(3_000);
      checkpoints.onCommit();
      while (pages().checkpointed < pages().log) await pause(20);
    }
    expect(pages().log).toBeLessThan(4_000);
  }));

test('repeated checks of the log do not leak listeners on the thread', () =>
  withLog(async (checkpoints, fillLog, pages) => {
    const warnings: Error[] = [];
    const record = (warning: Error) => void warnings.push(warning);
    process.on('warning', record);
    try {
      fillLog(3_000);
      for (let round = 0; round < 20; round++) {
        checkpoints.onCommit();
        await pause(120);
      }
      expect(pages().checkpointed).toBeGreaterThan(3_000);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', record);
    }
  }));

test('a reader in the middle of the log does not block writers, and its data does not change', () =>
  withMigratedFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrationOptions);
    writer.exec('create table filler (content blob)');
    const checkpoints = new Checkpoints(file);
    const count = (connection: SqliteDriver.Database) =>
      connection.prepare<unknown[], number>('select count(*) from filler').pluck().get();
    const insert = writer.prepare('insert into filler values (?)');
    insert.run(Buffer.alloc(4_096));
    snapshots.exec('begin');
    expect(count(snapshots)).toBe(1);
    for (let round = 0; round < 3; round++) {
      insert.run(Buffer.alloc(2_000 * 4_096));
      checkpoints.onCommit();
      await pause(200);
    }
    expect([count(snapshots), count(reader)]).toEqual([1, 4]);
    snapshots.exec('rollback');
    checkpoints.onCommit();
    await checkpoints.close();
    expect(count(snapshots)).toBe(4);
    for (const connection of [reader, snapshots, writer]) connection.close();
    expect(count(new SqliteDriver(file))).toBe(4);
  }));

test('closing the thread removes nothing from the log, and the last connection copies the rest', () =>
  withMigratedFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrationOptions);
    writer.exec('create table filler (content blob)');
    const checkpoints = new Checkpoints(file);
    writer.prepare('insert into filler values (?)').run(Buffer.alloc(3_000 * 4_096));
    checkpoints.onCommit();
    await pause(500);
    await checkpoints.close();
    // This no longer has an effect.
    checkpoints.onCommit();
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(3_000 * 4_096);
    for (const connection of [reader, snapshots, writer]) connection.close();
    await expect(stat(`${file}-wal`)).rejects.toThrow('ENOENT');
  }));

test('a failure of the thread is logged once, and closing still completes', () =>
  withMigratedFile(async (file) => {
    const warnings: string[] = [];
    const checkpoints = new Checkpoints(file, { warn: (_fields: object, text: string) => void warnings.push(text) });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'This is not a database.');
    await writeFile(`${file}-wal`, Buffer.alloc(5_000_000));
    checkpoints.onCommit();
    while (warnings.length === 0) await pause(20);
    checkpoints.onCommit();
    await pause(300);
    await checkpoints.close();
    expect(warnings).toEqual([
      expect.stringContaining('The thread that copies the SQLite log into the database file failed'),
    ]);
  }));
