import { setImmediate, setTimeout } from 'node:timers/promises';
import { anEntry } from '@portico/contracts';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startChild } from '../../test/child.ts';
import { migrationOptions, withMigratedFile } from '../../test/with-stores.ts';
import { openSqlStores } from '../index.ts';
import { openSqlite } from './open-sqlite.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { prepareSqliteReads } from './statements.ts';

const withDatabase = (work: (database: SqliteDatabase) => Promise<void>): Promise<void> =>
  withMigratedFile(async (file) => {
    const database = new SqliteDatabase(await openSqlite(file, migrationOptions), 1_000);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  });

const insert = "insert into settings (name, value) values (?, '')";
const readNames = async ({ reads }: SqliteDatabase) =>
  (await reads.all<{ name: string }>('select name from settings order by name')).map(({ name }) => name);

test('prepared reads do not see an open transaction, and see its outcome once it is committed or rolled back', () =>
  withMigratedFile(async (file) => {
    const connections = await openSqlite(file, migrationOptions);
    const database = new SqliteDatabase(connections, 1_000);
    const count = prepareSqliteReads(connections.reader).prepareFirst<{ count: number }>(
      'select count(*) as count from settings',
    );
    const countBefore = (await count())?.count ?? 0;
    const addOne = (name: string, shouldFail: boolean) =>
      database.transact(async (transaction) => {
        await transaction.run(insert, [name]);
        expect(await count()).toEqual({ count: countBefore });
        await setImmediate();
        expect(await count()).toEqual({ count: countBefore });
        if (shouldFail) throw new Error('rolled back');
      });
    await expect(addOne('a', true)).rejects.toThrow('rolled back');
    expect(await count()).toEqual({ count: countBefore });
    await addOne('b', false);
    expect(await count()).toEqual({ count: countBefore + 1 });
    await database.close();
  }));

test.each([
  [1_048_575, 0],
  [1_048_576, 1],
])('a read of a row with %i bytes yields to the event loop %i times', (bytes, expected) =>
  withMigratedFile(async (file) => {
    const connections = await openSqlite(file, migrationOptions);
    const database = new SqliteDatabase(connections, 1_000);
    await database.write((sql) =>
      sql.run("insert into settings (name, value) values ('large', ?)", [new Uint8Array(bytes)]),
    );
    const readValue = prepareSqliteReads(connections.reader).prepareLarge<{ value: Uint8Array }>(
      "select name, value from settings where name = 'large'",
    );
    let ticks = 0;
    const nextTick = setImmediate().then(() => (ticks += 1));
    expect((await readValue())?.value.length).toBe(bytes);
    expect(ticks).toBe(expected);
    await nextTick;
    await database.close();
  }),
);

test('writing a large value yields to the event loop before the commit, and writing a smaller one does not', () =>
  withDatabase(async (database) => {
    const countYields = async (bytes: number): Promise<number> => {
      let ticks = 0;
      await database.transact(async (transaction) => {
        const nextTick = setImmediate().then(() => (ticks += 1));
        await transaction.run('insert into settings (name, value) values (?, ?)', [
          `of ${bytes}`,
          new Uint8Array(bytes),
        ]);
        const ticksBefore = ticks;
        await nextTick;
        ticks = ticksBefore;
      });
      return ticks;
    };
    expect([await countYields(1_048_575), await countYields(1_048_576)]).toEqual([0, 1]);
  }));

test('a large commit does not copy the log itself, and the whole log is copied soon after', () =>
  withMigratedFile(async (file) => {
    const connections = await openSqlite(file, migrationOptions);
    const database = new SqliteDatabase(connections, 1_000);
    const pages = () => {
      const [logPages] = connections.writer.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
      return logPages ?? { log: 0, checkpointed: 0 };
    };
    const largeValue = new Uint8Array(5_000 * 4_096);
    await database.transact((transaction) =>
      transaction.run('insert into settings (name, value) values (?, ?)', ['a', largeValue]),
    );
    expect(pages().checkpointed).toBeLessThan(1_000);
    while (pages().checkpointed < 5_000) await setTimeout(20);
    await database.close();
  }));

test('reads do not see an open transaction', () =>
  withDatabase(async (database) => {
    await database.transact(async (transaction) => {
      await transaction.run(insert, ['a']);
      expect(await readNames(database)).toEqual([]);
    });
    expect(await readNames(database)).toEqual(['a']);
  }));

test('units of work do not interleave, regardless of their duration', () =>
  withDatabase(async (database) => {
    const steps: string[] = [];
    const transactUnit = (name: string) =>
      database.transact(async (transaction) => {
        steps.push(name);
        await setTimeout(5);
        await transaction.run(insert, [name]);
        steps.push(name);
      });
    await Promise.all(['a', 'b', 'c'].map(transactUnit));
    expect(steps.join('')).toBe('aabbcc');
  }));

test('readers see committed data while a large number of rows is written', () =>
  withDatabase(async (database) => {
    const rows = Array.from({ length: 20_001 }, (_, row) => [`${row}`]);
    let isDone = false;
    const pendingWrite = database
      .transact((transaction) => transaction.runEach(insert, rows))
      .then(() => (isDone = true));
    let readCount = 0;
    for (; !isDone; await setImmediate()) {
      const { length } = await readNames(database);
      expect([0, rows.length]).toContain(length);
      readCount += 1;
    }
    await pendingWrite;
    // Without yielding, there would be only one read.
    expect(readCount).toBeGreaterThanOrEqual(5);
    expect(await readNames(database)).toHaveLength(rows.length);
  }));

test('an error in a unit of work rolls it back, and the next one runs', () =>
  withDatabase(async (database) => {
    const failingUnit = database.transact(async (transaction) => {
      await transaction.run(insert, ['a']);
      throw new Error('no');
    });
    await expect(failingUnit).rejects.toThrow('no');
    await database.transact((transaction) => transaction.run(insert, ['b']));
    expect(await readNames(database)).toEqual(['b']);
  }));

test('a write waits for a write of another process, without blocking the event loop', () =>
  withMigratedFile(async (file) => {
    const { settings, close } = await openSqlStores({ kind: 'sqlite', file });
    const otherConnection = new SqliteDriver(file);
    otherConnection.exec('begin immediate');
    const pendingPut = settings.put('name', 'value');
    // If the write blocked the event loop, it would fail before these ticks are over.
    for (let tick = 0; tick < 20; tick += 1) await setTimeout(1);
    expect(await settings.get('name')).toBeNull();
    otherConnection.exec('commit');
    await pendingPut;
    expect(await settings.get('name')).toBe('value');
    otherConnection.close();
    await close();
  }));

test('a write that waits too long fails, and later writes work', () =>
  withMigratedFile(async (file) => {
    const { settings, stores, close } = await openSqlStores({ kind: 'sqlite', file }, { writeWaitMs: 50 });
    const otherConnection = new SqliteDriver(file);
    otherConnection.exec('begin immediate');
    const pendingAppends = [stores.audit.append(anEntry(), null), stores.audit.append(anEntry(), null)];
    await expect(settings.put('name', 'value')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    for (const outcome of await Promise.allSettled(pendingAppends)) expect(outcome.status).toBe('rejected');
    otherConnection.exec('commit');
    await stores.audit.append(anEntry(), null);
    expect(await stores.audit.readPage({ source: 'all' }, 0, 9)).toMatchObject({ total: 1 });
    otherConnection.close();
    await close();
  }));

test('two processes can write to one file concurrently without losing anything', () =>
  withMigratedFile(async (file) => {
    const children = [startChild('append-entries.ts', file, '500'), startChild('append-entries.ts', file, '500')];
    for (const { exited } of children) expect(await exited).toEqual({ code: 0, signal: null });
    const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
    const { entries, total } = await stores.audit.readPage({ source: 'client' }, 0, 2_000);
    expect(total).toBe(1_000);
    expect(entries.map(({ id }) => id as unknown).sort()).toEqual(children.flatMap(({ messages }) => messages).sort());
    await close();
  }));

test('acknowledged writes survive a killed process', () =>
  withMigratedFile(async (file) => {
    for (let round = 0; round < 3; round += 1) {
      const { child, messages, exited } = startChild('append-entries.ts', file);
      while (messages.length < 50) await setTimeout(5);
      child.kill('SIGKILL');
      expect((await exited).signal).toBe('SIGKILL');
      const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
      const storedIds = new Set<unknown>();
      for await (const { id } of stores.audit.export({ source: 'client' })) storedIds.add(id);
      expect(messages.filter((id) => !storedIds.has(id))).toEqual([]);
      expect(await stores.audit.readPage({ source: 'client' }, 0, 1)).toMatchObject({ total: storedIds.size });
      await close();
    }
  }));
