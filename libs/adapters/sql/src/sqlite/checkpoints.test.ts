import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrating, withMigratedFile } from '../../test/with-stores.ts';
import { Checkpoints } from './checkpoints.ts';
import { openSqlite } from './open-sqlite.ts';

interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

/** An open database of its own, and how to fill its log. */
const withLog = (work: (checkpoints: Checkpoints, fill: (pages: number) => void, pages: () => LogPages) => unknown) =>
  withMigratedFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrating);
    writer.exec('create table filler (content blob)');
    const checkpoints = new Checkpoints(file);
    const fill = (pages: number): void =>
      void writer.prepare('insert into filler values (?)').run(Buffer.alloc(pages * 4_096));
    const pages = () => (writer.pragma('wal_checkpoint(NOOP)') as readonly [LogPages])[0];
    try {
      await work(checkpoints, fill, pages);
    } finally {
      await checkpoints.close();
      for (const connection of [reader, snapshots, writer]) connection.close();
    }
  });

test('many committed pages are copied into the file without a commit that waits for it', () =>
  withLog(async (checkpoints, fill, pages) => {
    fill(3_000);
    expect(pages().checkpointed).toBe(0);
    checkpoints.committed();
    while (pages().checkpointed < pages().log) await pause(20);
    expect(pages().log).toBeGreaterThan(3_000);
  }));

test('few pages stay in the log', () =>
  withLog(async (checkpoints, fill, pages) => {
    fill(500);
    checkpoints.committed();
    await pause(300);
    expect(pages()).toMatchObject({ checkpointed: 0 });
  }));

test('the log begins anew after it was copied', () =>
  withLog(async (checkpoints, fill, pages) => {
    for (let round = 0; round < 5; round++) {
      fill(3_000);
      checkpoints.committed();
      while (pages().checkpointed < pages().log) await pause(20);
    }
    expect(pages().log).toBeLessThan(4_000);
  }));

test('one look at the log after another leaves nothing behind that listens to the thread', () =>
  withLog(async (checkpoints, fill, pages) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    try {
      fill(3_000);
      for (let round = 0; round < 20; round++) {
        checkpoints.committed();
        await pause(120);
      }
      expect(pages().checkpointed).toBeGreaterThan(3_000);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  }));

test('a reader in the middle of the log does not keep others from writing, and what it reads stays', () =>
  withMigratedFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrating);
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
      checkpoints.committed();
      await pause(200);
    }
    expect([count(snapshots), count(reader)]).toEqual([1, 4]);
    snapshots.exec('rollback');
    checkpoints.committed();
    await checkpoints.close();
    expect(count(snapshots)).toBe(4);
    for (const connection of [reader, snapshots, writer]) connection.close();
    expect(count(new SqliteDriver(file))).toBe(4);
  }));

test('its end removes nothing of the log, and the last connection copies what is left', () =>
  withMigratedFile(async (file) => {
    const { writer, reader, snapshots } = await openSqlite(file, migrating);
    writer.exec('create table filler (content blob)');
    const checkpoints = new Checkpoints(file);
    writer.prepare('insert into filler values (?)').run(Buffer.alloc(3_000 * 4_096));
    checkpoints.committed();
    await pause(500);
    await checkpoints.close();
    // Nothing comes of it any more.
    checkpoints.committed();
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(3_000 * 4_096);
    for (const connection of [reader, snapshots, writer]) connection.close();
    await expect(stat(`${file}-wal`)).rejects.toThrow('ENOENT');
  }));

test('a thread that fails is told once, and what waits for it ends', () =>
  withMigratedFile(async (file) => {
    const said: string[] = [];
    const checkpoints = new Checkpoints(file, { warn: (_facts: object, text: string) => void said.push(text) });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'This is not a database.');
    await writeFile(`${file}-wal`, Buffer.alloc(5_000_000));
    checkpoints.committed();
    while (said.length === 0) await pause(20);
    checkpoints.committed();
    await pause(300);
    await checkpoints.close();
    expect(said).toEqual([expect.stringContaining('The thread that copies the log of SQLite into its file failed')]);
  }));
