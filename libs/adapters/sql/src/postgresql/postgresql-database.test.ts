import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { aCollection, aContent, anEntry, aProfile, noEffects, grantToClient } from '@portico/contracts';
import { PorticoError } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { newMigratedDatabase, postgres } from '../../test/with-postgresql.ts';
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
  const url = await newMigratedDatabase();
  const databases = await Promise.all(Array.from({ length: count }, () => openDatabase(url)));
  try {
    await work(...databases);
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
};

const withTwoStores = async (work: (a: SqlStores, b: SqlStores) => Promise<void>): Promise<void> => {
  const url = await newMigratedDatabase();
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
  const all = Promise.withResolvers<void>();
  let arrivals = 0;
  return () => {
    arrivals += 1;
    if (arrivals === count) all.resolve();
    return all.promise;
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
const names = async ({ reads }: PostgresqlDatabase) =>
  (await reads.all<{ name: string }>('select name from settings order by name')).map(({ name }) => name);

const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'done';
    const error: unknown = outcome.reason;
    return error instanceof PorticoError ? error.code : String(error);
  });
const countByValue = (all: readonly string[]) =>
  Object.fromEntries(
    [...new Set(all)].map((value) => [value, all.filter((otherValue) => otherValue === value).length]),
  );

describe.skipIf(!postgres)('on PostgreSQL', () => {
  test('reads do not see an open transaction', () =>
    withDatabases(2, async (a, b) => {
      await a.transact(async (transaction) => {
        await transaction.run(insert, ['a']);
        expect([await names(a), await names(b)]).toEqual([[], []]);
      });
      expect([await names(a), await names(b)]).toEqual([['a'], ['a']]);
    }));

  test('changes do not interleave, regardless of their duration and process', () =>
    withDatabases(2, async (a, b) => {
      const steps: string[] = [];
      const unit = (database: PostgresqlDatabase, name: string) =>
        database.transact(async (transaction) => {
          steps.push(name);
          await setTimeout(20);
          await transaction.run(insert, [name]);
          steps.push(name);
        });
      await Promise.all([unit(a, 'a'), unit(b, 'b'), unit(a, 'c'), unit(b, 'd')]);
      expect(steps.join('')).toMatch(/^((.)\2)+$/);
      expect(await names(a)).toEqual(['a', 'b', 'c', 'd']);
    }));

  test('a change sees all data that was committed while it was queued', () =>
    withDatabases(2, async (a, b) => {
      const started = Promise.withResolvers<void>();
      const first = a.transact(async (transaction) => {
        started.resolve();
        while (!(await isLockAwaited(a, changeLock))) await setTimeout(5);
        await transaction.run(insert, ['a']);
      });
      await started.promise;
      const rows = await b.transact((transaction) => transaction.all('select name from settings'));
      await first;
      expect(rows).toEqual([{ name: 'a' }]);
    }));

  test('a change waits for a change of another process, even for longer than the lock timeout', () =>
    withDatabases(2, async (a, b) => {
      const started = Promise.withResolvers<void>();
      const long = a.transact(async (transaction) => {
        started.resolve();
        await setTimeout(limits.lockMs + 1_000);
        await transaction.run(insert, ['a']);
      });
      await started.promise;
      await b.transact((transaction) => transaction.run(insert, ['b']));
      await long;
      expect(await names(a)).toEqual(['a', 'b']);
    }));

  test('an open change does not block a write, nor a write a change', () =>
    withDatabases(1, async (database) => {
      await database.transact(async () => {
        await database.write((sql) => sql.run(insert, ['a']));
      });
      await database.write(async () => {
        await database.transact((transaction) => transaction.run(insert, ['b']));
      });
      expect(await names(database)).toEqual(['a', 'b']);
    }));

  test('an error in a unit of work rolls it back, and the next one runs', () =>
    withDatabases(1, async (database) => {
      const failing = database.transact(async (transaction) => {
        await transaction.run(insert, ['a']);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await database.transact((transaction) => transaction.run(insert, ['b']));
      expect(await names(database)).toEqual(['b']);
    }));

  test('a transaction that the server rolls back is not reported as committed', () =>
    withDatabases(1, async (database) => {
      const pendingWrite = database.write(async (sql) => {
        await sql.run(insert, ['a']);
        await sql.run(insert, ['a']).catch(() => 0);
      });
      await expect(pendingWrite).rejects.toThrow('rolled back');
      expect(await names(database)).toEqual([]);
    }));

  test('two writes that deadlock both succeed, one of them by a retry', () =>
    withDatabases(2, async (a, b) => {
      await a.write((sql) => sql.runEach(insert, [['x'], ['y']]));
      let attempts = 0;
      const bothHoldOne = createBarrier(2);
      const touch = "update settings set value = value || 'z' where name = ?";
      const write = (database: PostgresqlDatabase, first: string, second: string) =>
        database.write(async (sql) => {
          attempts += 1;
          await sql.run(touch, [first]);
          await bothHoldOne();
          await sql.run(touch, [second]);
        });
      await Promise.all([write(a, 'x', 'y'), write(b, 'y', 'x')]);
      expect(attempts).toBeGreaterThan(2);
      expect(await a.reads.all('select value from settings')).toEqual([{ value: 'zz' }, { value: 'zz' }]);
    }));

  test('a write that cannot be serialised with another is retried', () =>
    withDatabases(2, async (a, b) => {
      let attempts = 0;
      const bothHaveRead = createBarrier(2);
      const write = (database: PostgresqlDatabase, name: string) =>
        database.write(async (sql) => {
          attempts += 1;
          // Replaces the open transaction, which is not serializable.
          await sql.run('rollback');
          await sql.run('begin isolation level serializable');
          const { length } = await sql.all('select name from settings');
          await bothHaveRead();
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

  test('a read that gets no connection fails in time, and later reads work', () =>
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
        await expect(names(database)).rejects.toThrow('timeout');
      } finally {
        blocker.resolve();
      }
      await Promise.all(blockedWrites);
      expect(await names(database)).toEqual([]);
    }));

  test('a connection that timed out is discarded', async () => {
    const { pool } = await openPostgresql(await newMigratedDatabase(), migrationOptions, 20_000);
    const query = withConnection(pool, performance.now() + 50, (execute) => execute({ text: 'select pg_sleep(3)' }));
    await expect(query).rejects.toThrow('timeout');
    expect(pool.totalCount).toBe(0);
    await pool.end();
  });

  test('large rows are read one at a time, even if many are requested concurrently', () =>
    withDatabases(1, async ({ prepared }) => {
      // A statement that runs alone gets the lock, and holds it until it ends.
      const read = prepared.large<{ isAlone: boolean; bytes: Buffer }>(
        `select pg_try_advisory_xact_lock(1) as "isAlone", ?::bytea as "bytes"`,
      );
      const bytes = randomBytes(100_000);
      const rows = await Promise.all(Array.from({ length: 8 }, () => read(bytes)));
      const results = rows.map((row) => ({ ...row, bytes: row?.bytes.equals(bytes) }));
      expect(results).toEqual(rows.map(() => ({ isAlone: true, bytes: true })));
    }));

  test('the server cancels a slow statement, and its connection stays usable', () =>
    withDatabases(1, async ({ reads }) => {
      const process = () => reads.first('select pg_backend_pid() as pid');
      const before = await process();
      const limit = await reads.first(`select current_setting('statement_timeout') as "inForce"`);
      expect(limit).toEqual({ inForce: `${limits.statementMs / 1_000}s` });
      await reads.all("select set_config('statement_timeout', '50', false)");
      await expect(reads.all('select pg_sleep(30)')).rejects.toMatchObject({ code: '57014' });
      expect(await process()).toEqual(before);
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

  test('of 256 simultaneous grants of one pair in two processes one succeeds, and the others see it', () =>
    withTwoStores(async (a, b) => {
      const profile = aProfile();
      const collection = aCollection();
      await a.stores.profiles.add(profile, noEffects);
      await a.stores.collections.add(collection, aContent(), noEffects);
      const grant = ({ stores }: SqlStores, n: number) =>
        grantToClient(stores.grants, profile.id, collection.id, ({ grant: held }) => {
          if (held !== null) throw new PorticoError('already_granted');
          return { ...noEffects, entries: [anEntry()], grantedAt: n };
        });
      const outcomes = await Promise.allSettled(Array.from({ length: 256 }, (_, n) => grant(n % 2 ? a : b, n)));
      expect(countByValue(codesOf(outcomes))).toEqual({ done: 1, already_granted: 255 });
      expect(await a.stores.audit.page({ source: 'all' }, 0, 1)).toMatchObject({ total: 1 });
    }));

  test('of 64 simultaneous approvals in two processes one decides', () =>
    withTwoStores(async (a, b) => {
      const profile = aProfile({ status: 'pending' });
      await a.stores.profiles.add(profile, noEffects);
      const approve = ({ stores }: SqlStores, n: number) =>
        stores.profiles.update(profile.id, ({ profile: current, key }) => {
          if (current.status !== 'pending') throw new PorticoError('already_approved');
          return {
            ...noEffects,
            profile: { ...current, status: 'approved', approvedAt: 1, fullName: `approved by ${n}` },
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
      const appended = entries.map((entry, n) => (n % 2 ? a : b).stores.audit.append(entry, null));
      await Promise.all(appended.slice(0, 500));
      const pruned = await Promise.all([a, b, a, b].map(({ stores }) => stores.audit.prune(1_000, 100)));
      await Promise.all(appended);
      const total = 2_000 - pruned.reduce((sum, count) => sum + count);
      for (const source of ['client', 'system', 'all'] as const) {
        const { total: totalOfA } = await a.stores.audit.page({ source }, 0, 1);
        const { total: totalOfB } = await b.stores.audit.page({ source, from: -1 }, 0, 1);
        expect(totalOfA).toBe(totalOfB);
        if (source === 'all') expect(totalOfA).toBe(total);
      }
      const { entries: middle } = await a.stores.audit.page({ source: 'all' }, Math.floor(total / 2), 3);
      expect(middle).toHaveLength(3);
    }));

  test.for([
    ['in the middle', 4],
    ['at the end', 8],
  ] as const)('a page %s of the audit log is consistent with its total, despite concurrent writes', ([, offset]) =>
    withDatabases(1, async (database) => {
      const entryAt = (instant: number) => anEntry({ instant });
      const entries = Array.from({ length: 10 }, (_, n) => entryAt(n));
      await database.write((sql) => writeEntries(sql, entries));
      const read = () => readPage(database, { source: 'all' }, offset, 3);
      const before = await read();
      const concurrentRead = await database.write(async (sql) => {
        await sql.run('lock table audit_entries in access exclusive mode');
        const reading = read();
        while (!(await isLockAwaited(database, auditLogLock))) await setTimeout(5);
        await writeEntries(sql, [entryAt(-1), entryAt(10)]);
        return { reading };
      });
      expect([before, await read()]).toContainEqual(await concurrentRead.reading);
    }),
  );
});
