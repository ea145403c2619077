import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { migrating, withMigratedFile } from '../../test/with-stores.ts';
import { type Disk, LogSync } from './log-sync.ts';
import { openSqlite } from './open-sqlite.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/** Syncs aside end when the test says so. */
const diskByHand = () => {
  const syncs: string[] = [];
  const aside: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const disk: Disk = {
    sync: () => void syncs.push('on the loop'),
    syncAside: () =>
      new Promise<void>((end, fail) => {
        syncs.push('aside');
        aside.push({ end, fail });
      }),
  };
  return { disk, syncs, aside };
};

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  const settle = () => (settled = true);
  promise.then(settle, settle);
  await setImmediate();
  return settled;
};

afterEach(() => vi.useRealTimers());

describe('the sync of a log', () => {
  const withLog = (work: (file: string) => Promise<void>) =>
    withMigratedFile(async (file) => {
      await mkdir(dirname(file), { recursive: true });
      writeFileSync(`${file}-wal`, '');
      await work(file);
    });

  test('holds the loop, until a large value is told of, and 2 s later again', () =>
    withLog(async (file) => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const { disk, syncs, aside } = diskByHand();
      const sync = new LogSync(file, disk);
      await sync.synced();
      sync.tellLarge();
      vi.advanceTimersByTime(1_999);
      const waiting = sync.synced();
      expect(await isSettled(waiting)).toBe(false);
      aside[0]?.end();
      await waiting;
      vi.advanceTimersByTime(1);
      await sync.synced();
      expect(syncs).toEqual(['on the loop', 'aside', 'on the loop']);
      await sync.close();
    }));

  test('is shared by those who ask while another one runs, and begins after that', () =>
    withLog(async (file) => {
      const { disk, syncs, aside } = diskByHand();
      const sync = new LogSync(file, disk);
      sync.tellLarge();
      const [first, second, third] = [sync.synced(), sync.synced(), sync.synced()];
      expect(syncs).toEqual(['aside']);
      aside[0]?.end();
      await first;
      expect(await isSettled(Promise.race([second, third]))).toBe(false);
      expect(syncs).toEqual(['aside', 'aside']);
      aside[1]?.end();
      await Promise.all([second, third]);
      expect(syncs).toHaveLength(2);
      await sync.close();
    }));

  test('that fails aside fails for all who come later, and is not tried again', () =>
    withLog(async (file) => {
      const { disk, syncs, aside } = diskByHand();
      const sync = new LogSync(file, disk);
      sync.tellLarge();
      const [first, second] = [sync.synced(), sync.synced()];
      aside[0]?.fail(new Error('disk'));
      await expect(first).rejects.toThrow('disk');
      await expect(second).rejects.toThrow('disk');
      await expect(sync.synced()).rejects.toThrow('disk');
      expect(syncs).toEqual(['aside']);
      await sync.close();
    }));

  test('that fails on the loop fails for all who come later, and is not tried again', () =>
    withLog(async (file) => {
      const { disk } = diskByHand();
      let tries = 0;
      const failing = () => {
        tries += 1;
        throw new Error('disk');
      };
      const sync = new LogSync(file, { ...disk, sync: failing });
      await expect(sync.synced()).rejects.toThrow('disk');
      await expect(sync.synced()).rejects.toThrow('disk');
      expect(tries).toBe(1);
      await sync.close();
    }));
});

describe('a transaction', () => {
  const insert = 'insert into settings (name, value) values (?, ?)';
  const withDatabase = (work: (database: SqliteDatabase, by: ReturnType<typeof diskByHand>) => Promise<void>) =>
    withMigratedFile(async (file) => {
      const by = diskByHand();
      const database = new SqliteDatabase(await openSqlite(file, migrating), 1_000, null, new LogSync(file, by.disk));
      await work(database, by);
      await database.close();
    });
  const write = (database: SqliteDatabase, name: string, bytes: number) =>
    database.transact((transaction) => transaction.run(insert, [name, new Uint8Array(bytes)]));

  test('is over once its log is on disk; the next one begins before', () =>
    withDatabase(async (database, { aside }) => {
      const [large, small] = [write(database, 'large', 2 ** 18), write(database, 'small', 1)];
      expect(await isSettled(Promise.race([large, small]))).toBe(false);
      expect(await database.reads.all('select name from settings')).toHaveLength(2);
      aside[0]?.end();
      await large;
      expect(await isSettled(small)).toBe(false);
      aside[1]?.end();
      await small;
    }));

  test('has its log synced on the loop unless a value of 256 KiB was written before', () =>
    withDatabase(async (database, { syncs, aside }) => {
      await write(database, 'small', 2 ** 18 - 1);
      const large = write(database, 'large', 2 ** 18);
      expect(await isSettled(large)).toBe(false);
      expect(syncs).toEqual(['on the loop', 'aside']);
      aside[0]?.end();
      await large;
    }));

  test('fails if its log cannot be synced', () =>
    withDatabase(async (database, { aside }) => {
      const large = write(database, 'large', 2 ** 18);
      expect(await isSettled(large)).toBe(false);
      aside[0]?.fail(new Error('disk'));
      await expect(large).rejects.toThrow('disk');
    }));
});
