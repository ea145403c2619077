import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { aCollection, aDocumentContent, anEntry, aProfile, noEffects, grantToClient } from '@portico/contracts';
import { PorticoError } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { createMigratedDatabase, postgres } from '../../test/with-postgresql.ts';
import { migrationOptions } from '../../test/with-stores.ts';
import { readPage } from '../audit-pages.ts';
import { writeEntries } from '../effects.ts';
import { openSqlStores, type SqlStores } from '../index.ts';
import { openPostgresql } from './open-postgresql.ts';
import { withConnection, limits } from './pool.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';

const openDatabase = async (url: string): Promise<PostgresqlDatabase> => {
  const { pool } = await openPostgresql(url, migrationOptions, 20_000);
  return new PostgresqlDatabase(pool);
};

/** Runs work on one database, opened as if by several processes. */
const withDatabases = async (
  count: number,
  work: (...databases: PostgresqlDatabase[]) => Promise<void>,
): Promise<void> => {
  const url = await createMigratedDatabase();
  const databases = await Promise.all(Array.from({ length: count }, () => openDatabase(url)));
  try {
    await work(...databases);
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
};

const withTwoStores = async (work: (a: SqlStores, b: SqlStores) => Promise<void>): Promise<void> => {
  const url = await createMigratedDatabase();
  const [a, b] = await Promise.all([
    openSqlStores({ kind: 'postgresql', url }),
    openSqlStores({ kind: 'postgresql', url }),
  ]);
  try {
    await work(a, b);
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
};

/** Returns a barrier: it resolves for all callers once `count` of them have called it. */
const createBarrier = (count: number): (() => Promise<void>) => {
  const allArrived = Promise.withResolvers<void>();
  let arrivedCount = 0;
  return () => {
    arrivedCount += 1;
    if (arrivedCount === count) allArrived.resolve();
    return allArrived.promise;
  };
};

/** Returns whether a transaction is waiting for this lock. */
const isLockAwaited = async ({ reads }: PostgresqlDatabase, lock: string): Promise<boolean> => {
  const selectWaiting = `select pid from pg_locks where ${lock} and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  return (await reads.first(selectWaiting)) !== undefined;
};
const changeLock = "locktype = 'advisory'";
const auditLogLock = "relation = 'audit_entries'::regclass";

const insert = "insert into settings (name, value) values (?, '')";
const readNames = async ({ reads }: PostgresqlDatabase) =>
  (await reads.all<{ name: string }>('select name from settings order by name')).map(({ name }) => name);

const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'done';
    const error: unknown = outcome.reason;
    return error instanceof PorticoError ? error.code : String(error);
  });
const countByValue = (values: readonly string[]) =>
  Object.fromEntries(
    [...new Set(values)].map((value) => [value, values.filter((otherValue) => otherValue === value).length]),
  );

describe.skipIf(!postgres)('on PostgreSQL', () => {
  test('reads do not see an open transaction', () =>
    withDatabases(2, async (a, b) => {
      await a.transact(async (transaction) => {
        await transaction.run(insert, ['a']);
        expect([await readNames(a), await readNames(b)]).toEqual([[], []]);
      });
      expect([await readNames(a), await readNames(b)]).toEqual([['a'], ['a']]);
    }));

  test('changes do not interleave, regardless of their duration and process', () =>
    withDatabases(2, async (a, b) => {
      const steps: string[] = [];
      const changeTwice = (database: PostgresqlDatabase, name: string) =>
        database.transact(async (transaction) => {
          steps.push(name);
          await setTimeout(20);
          await transaction.run(insert, [name]);
          steps.push(name);
        });
      await Promise.all([changeTwice(a, 'a'), changeTwice(b, 'b'), changeTwice(a, 'c'), changeTwice(b, 'd')]);
      expect(steps.join('')).toMatch(/^((.)\2)+$/);
      expect(await readNames(a)).toEqual(['a', 'b', 'c', 'd']);
    }));

  test('a change sees all data that was committed while it was queued', () =>
    withDatabases(2, async (a, b) => {
      const started = Promise.withResolvers<void>();
      const firstChange = a.transact(async (transaction) => {
        started.resolve();
        while (!(await isLockAwaited(a, changeLock))) await setTimeout(5);
        await transaction.run(insert, ['a']);
      });
      await started.promise;
      const rows = await b.transact((transaction) => transaction.all('select name from settings'));
      await firstChange;
      expect(rows).toEqual([{ name: 'a' }]);
    }));

  test('a change waits for a change by another process, even for longer than the lock timeout', () =>
    withDatabases(2, async (a, b) => {
      const started = Promise.withResolvers<void>();
      const longChange = a.transact(async (transaction) => {
        started.resolve();
        await setTimeout(limits.lockMs + 1_000);
        await transaction.run(insert, ['a']);
      });
      await started.promise;
      await b.transact((transaction) => transaction.run(insert, ['b']));
      await longChange;
      expect(await readNames(a)).toEqual(['a', 'b']);
    }));

  test('an open change does not block writes, and an open write does not block changes', () =>
    withDatabases(1, async (database) => {
      await database.transact(async () => {
        await database.write((sql) => sql.run(insert, ['a']));
      });
      await database.write(async () => {
        await database.transact((transaction) => transaction.run(insert, ['b']));
      });
      expect(await readNames(database)).toEqual(['a', 'b']);
    }));

  test('an error in a unit of work rolls it back, and the next one runs', () =>
    withDatabases(1, async (database) => {
      const failingChange = database.transact(async (transaction) => {
        await transaction.run(insert, ['a']);
        throw new Error('no');
      });
      await expect(failingChange).rejects.toThrow('no');
      await database.transact((transaction) => transaction.run(insert, ['b']));
      expect(await readNames(database)).toEqual(['b']);
    }));

  test('a transaction that the server rolls back is not reported as committed', () =>
    withDatabases(1, async (database) => {
      const pendingWrite = database.write(async (sql) => {
        await sql.run(insert, ['a']);
        await sql.run(insert, ['a']).catch(() => 0);
      });
      await expect(pendingWrite).rejects.toThrow('rolled back');
      expect(await readNames(database)).toEqual([]);
    }));

  test('two writes that deadlock both succeed, one of them after a retry', () =>
    withDatabases(2, async (a, b) => {
      await a.write((sql) => sql.runEach(insert, [['x'], ['y']]));
      let attempts = 0;
      const waitUntilBothHoldOne = createBarrier(2);
      const appendToValue = "update settings set value = value || 'z' where name = ?";
      const write = (database: PostgresqlDatabase, firstName: string, secondName: string) =>
        database.write(async (sql) => {
          attempts += 1;
          await sql.run(appendToValue, [firstName]);
          await waitUntilBothHoldOne();
          await sql.run(appendToValue, [secondName]);
        });
      await Promise.all([write(a, 'x', 'y'), write(b, 'y', 'x')]);
      expect(attempts).toBeGreaterThan(2);
      expect(await a.reads.all('select value from settings')).toEqual([{ value: 'zz' }, { value: 'zz' }]);
    }));

  test('a write that cannot be serialized with a concurrent one is retried', () =>
    withDatabases(2, async (a, b) => {
      let attempts = 0;
      const waitUntilBothHaveRead = createBarrier(2);
      const write = (database: PostgresqlDatabase, name: string) =>
        database.write(async (sql) => {
          attempts += 1;
          // Replaces the open transaction, which is not serializable.
          await sql.run('rollback');
          await sql.run('begin isolation level serializable');
          const { length } = await sql.all('select name from settings');
          await waitUntilBothHaveRead();
          await sql.run('insert into settings (name, value) values (?, ?)', [name, String(length)]);
        });
      await Promise.all([write(a, 'a'), write(b, 'b')]);
      expect(attempts).toBeGreaterThan(2);
      const values = await a.reads.all<{ value: string }>('select value from settings order by value');
      expect(values).toEqual([{ value: '0' }, { value: '1' }]);
    }));

  test('a write whose connection is lost is not retried: its outcome is unknown', () =>
    withDatabases(1, async (database) => {
      let attempts = 0;
      const pendingWrite = database.write(async (sql) => {
        attempts += 1;
        await sql.run('select pg_terminate_backend(pg_backend_pid())');
      });
      await expect(pendingWrite).rejects.toThrow();
      expect(attempts).toBe(1);
      await database.write((sql) => sql.run(insert, ['a']));
    }));

  test('a read that gets no connection times out, and later reads work', () =>
    withDatabases(1, async (database) => {
      const blocker = Promise.withResolvers<void>();
      const blockedWrites: Promise<void>[] = [];
      try {
        while (blockedWrites.length < limits.connections) {
          const started = Promise.withResolvers<void>();
          blockedWrites.push(
            database.write(() => {
              started.resolve();
              return blocker.promise;
            }),
          );
          await started.promise;
        }
        await expect(readNames(database)).rejects.toThrow('timeout');
      } finally {
        blocker.resolve();
      }
      await Promise.all(blockedWrites);
      expect(await readNames(database)).toEqual([]);
    }));

  test('a connection that timed out is discarded', async () => {
    const { pool } = await openPostgresql(await createMigratedDatabase(), migrationOptions, 20_000);
    const query = withConnection(pool, performance.now() + 50, (execute) => execute({ text: 'select pg_sleep(3)' }));
    await expect(query).rejects.toThrow('timeout');
    expect(pool.totalCount).toBe(0);
    await pool.end();
  });

  test('large rows are read one at a time, even if many are requested concurrently', () =>
    withDatabases(1, async ({ preparedReads }) => {
      // A statement that runs alone gets the lock, and holds it until it finishes.
      const readLarge = preparedReads.prepareLarge<{ isAlone: boolean; bytes: Buffer }>(
        `select pg_try_advisory_xact_lock(1) as "isAlone", ?::bytea as "bytes"`,
      );
      const value = randomBytes(100_000);
      const rows = await Promise.all(Array.from({ length: 8 }, () => readLarge(value)));
      const results = rows.map((row) => ({ ...row, bytes: row?.bytes.equals(value) }));
      expect(results).toEqual(rows.map(() => ({ isAlone: true, bytes: true })));
    }));

  test('the server cancels a slow statement, and its connection remains usable', () =>
    withDatabases(1, async ({ reads }) => {
      const process = () => reads.first('select pg_backend_pid() as pid');
      const processBefore = await process();
      const limit = await reads.first(`select current_setting('statement_timeout') as "inForce"`);
      expect(limit).toEqual({ inForce: `${limits.statementMs / 1_000}s` });
      await reads.all("select set_config('statement_timeout', '50', false)");
      await expect(reads.all('select pg_sleep(30)')).rejects.toMatchObject({ code: '57014' });
      expect(await process()).toEqual(processBefore);
    }));

  test('a statement works again after the columns of its table have changed their types', () =>
    withDatabases(1, async ({ reads }) => {
      await reads.run('create table things as select 1 as value');
      const read = () => reads.first('select value from things');
      expect(await read()).toEqual({ value: 1 });
      await reads.run('alter table things alter value type text');
      await expect(read()).rejects.toMatchObject({ code: '0A000' });
      expect(await read()).toEqual({ value: '1' });
    }));

  test('when two processes grant the same pair 256 times concurrently, one grant succeeds and the others see it', () =>
    withTwoStores(async (a, b) => {
      const profile = aProfile();
      const collection = aCollection();
      await a.stores.profiles.add(profile, noEffects);
      await a.stores.collections.add(collection, aDocumentContent(), noEffects);
      const grant = ({ stores }: SqlStores, n: number) =>
        grantToClient(stores.grants, profile.id, collection.id, ({ grant: currentGrant }) => {
          if (currentGrant !== null) throw new PorticoError('already_granted');
          return { ...noEffects, entries: [anEntry()], grantedAt: n };
        });
      const outcomes = await Promise.allSettled(Array.from({ length: 256 }, (_, n) => grant(n % 2 ? a : b, n)));
      expect(countByValue(codesOf(outcomes))).toEqual({ done: 1, already_granted: 255 });
      expect(await a.stores.audit.readPage({ source: 'all' }, 0, 1)).toMatchObject({ total: 1 });
    }));

  test('when two processes approve the same profile 64 times concurrently, only one approval succeeds', () =>
    withTwoStores(async (a, b) => {
      const profile = aProfile({ status: 'pending' });
      await a.stores.profiles.add(profile, noEffects);
      const approve = ({ stores }: SqlStores, n: number) =>
        stores.profiles.update(profile.id, ({ profile: currentProfile, key }) => {
          if (currentProfile.status !== 'pending') throw new PorticoError('already_approved');
          return {
            ...noEffects,
            profile: { ...currentProfile, status: 'approved', approvedAt: 1, fullName: `approved by ${n}` },
            key,
          };
        });
      const outcomes = await Promise.allSettled(Array.from({ length: 64 }, (_, n) => approve(n % 2 ? a : b, n)));
      expect(countByValue(codesOf(outcomes))).toEqual({ done: 1, already_approved: 63 });
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect(await b.stores.profiles.find(profile.id)).toMatchObject({ fullName: `approved by ${winner}` });
    }));

  test('entries that two processes append and prune concurrently are all counted', () =>
    withTwoStores(async (a, b) => {
      const entries = Array.from({ length: 2_000 }, (_, n) =>
        anEntry({ source: n % 3 ? 'client' : 'system', instant: (n % 50) * 86_400_000, receivedAt: n }),
      );
      const pendingAppends = entries.map((entry, n) => (n % 2 ? a : b).stores.audit.append(entry, null));
      await Promise.all(pendingAppends.slice(0, 500));
      const prunedCounts = await Promise.all([a, b, a, b].map(({ stores }) => stores.audit.prune(1_000, 100)));
      await Promise.all(pendingAppends);
      const total = 2_000 - prunedCounts.reduce((sum, count) => sum + count);
      for (const source of ['client', 'system', 'all'] as const) {
        const { total: totalOfA } = await a.stores.audit.readPage({ source }, 0, 1);
        const { total: totalOfB } = await b.stores.audit.readPage({ source, from: -1 }, 0, 1);
        expect(totalOfA).toBe(totalOfB);
        if (source === 'all') expect(totalOfA).toBe(total);
      }
      const { entries: middle } = await a.stores.audit.readPage({ source: 'all' }, Math.floor(total / 2), 3);
      expect(middle).toHaveLength(3);
    }));

  test.for([
    ['in the middle', 4],
    ['at the end', 8],
  ] as const)('a page %s of the audit log is consistent with its total, despite concurrent writes', ([, offset]) =>
    withDatabases(1, async (database) => {
      const createEntryAt = (instant: number) => anEntry({ instant });
      const entries = Array.from({ length: 10 }, (_, n) => createEntryAt(n));
      await database.write((sql) => writeEntries(sql, entries));
      const read = () => readPage(database, { source: 'all' }, offset, 3);
      const pageBefore = await read();
      const concurrentRead = await database.write(async (sql) => {
        await sql.run('lock table audit_entries in access exclusive mode');
        const pendingRead = read();
        while (!(await isLockAwaited(database, auditLogLock))) await setTimeout(5);
        await writeEntries(sql, [createEntryAt(-1), createEntryAt(10)]);
        return { reading: pendingRead };
      });
      expect([pageBefore, await read()]).toContainEqual(await concurrentRead.reading);
    }),
  );
});
