import { setTimeout } from 'node:timers/promises';
import { anEntry, aProfile, noEffects, recordLog, start } from '@portico/contracts';
import type { EntryId } from '@portico/domain';
import { type FaultMode, type FaultProxy, startFaultProxy, startPostgres } from '@portico/test-servers';
import type { Client, PoolClient } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { runOnDatabase } from '../../test/with-postgresql.ts';
import { migrationOptions } from '../../test/with-stores.ts';
import { openSqlStores, type SqlStores } from '../index.ts';
import { openPostgresql } from './open-postgresql.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';

/** A separate server that syncs as in production, and that the tests may stop. */
const server = await startPostgres({ durable: true });
const control = server?.control;
afterAll(() => server?.close());

/** A request completes within ten seconds, regardless of the database; on a busy machine, it takes somewhat longer. */
const durationMsMax = 120_000;

const withStores = async (work: (stores: SqlStores, url: string) => Promise<void>): Promise<void> => {
  const url = (await server?.createDatabase()) ?? '';
  const sqlStores = await openSqlStores({ kind: 'postgresql', url });
  try {
    await work(sqlStores, url);
  } finally {
    await sqlStores.close();
  }
};

/** Retries a request until it succeeds, as clients do. */
const retryUntilFulfilled = async <T>(request: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (attempt === 100) throw error;
      await setTimeout(100);
    }
  }
};

const measure = async (promise: Promise<unknown>): Promise<{ readonly outcome: string; readonly ms: number }> => {
  const begin = performance.now();
  const [{ status: outcome }] = await Promise.allSettled([promise]);
  return { outcome, ms: performance.now() - begin };
};

describe.skipIf(!control)('a PostgreSQL server', () => {
  test('that hangs fails reads, changes and the probe within a bounded time, and works again once it resumes', () =>
    withStores(async ({ stores, settings, probe }) => {
      const profile = aProfile();
      await stores.profiles.add(profile, noEffects);
      // Opens several connections, which then hang.
      await Promise.all(Array.from({ length: 5 }, () => stores.callers.findByUid(profile.uid, null, start)));
      await control?.pause();
      await expect(probe.check()).rejects.toThrow('did not respond within 500 ms');
      const results = await Promise.all([
        ...Array.from({ length: 30 }, () => measure(stores.callers.findByUid(profile.uid, null, start))),
        ...Array.from({ length: 30 }, (_, n) => measure(settings.put('name', String(n)))),
        ...Array.from({ length: 30 }, () => measure(stores.audit.append(anEntry(), null))),
        measure(stores.audit.readPage({ source: 'all' }, 0, 1)),
        measure(probe.check()),
      ]);
      expect(results.filter(({ outcome, ms }) => outcome !== 'rejected' || ms > durationMsMax)).toEqual([]);
      await control?.resume();
      expect(await retryUntilFulfilled(() => stores.callers.findByUid(profile.uid, null, start))).toMatchObject({
        profile,
      });
      await retryUntilFulfilled(() => settings.put('name', 'after'));
      await retryUntilFulfilled(() => probe.check());
      expect(await settings.get('name')).toBe('after');
    }));

  test('that crashes during writes loses no acknowledged writes, and is used again without restarting the service', () =>
    withStores(async ({ stores }) => {
      const acknowledgedIds: EntryId[] = [];
      for (let round = 0; round < 3; round += 1) {
        let isWriting = true;
        const writers = Array.from({ length: 8 }, async () => {
          while (isWriting) {
            const entry = anEntry();
            await stores.audit.append(entry, null).then(
              () => acknowledgedIds.push(entry.id),
              () => setTimeout(20),
            );
          }
        });
        const countBefore = acknowledgedIds.length;
        while (acknowledgedIds.length < countBefore + 100) await setTimeout(5);
        await control?.stop('immediate');
        await control?.start();
        const countAfterRestart = acknowledgedIds.length;
        while (acknowledgedIds.length < countAfterRestart + 10) await setTimeout(5);
        isWriting = false;
        await Promise.all(writers);
      }
      const storedIds = new Set<EntryId>();
      for await (const { id } of stores.audit.export({ source: 'client' })) storedIds.add(id);
      expect(acknowledgedIds.filter((id) => !storedIds.has(id))).toEqual([]);
      expect(await stores.audit.readPage({ source: 'client' }, 0, 1)).toMatchObject({ total: storedIds.size });
    }));

  test('can close idle connections without causing errors', () =>
    withStores(async ({ settings }, url) => {
      await settings.put('name', 'value');
      await runOnDatabase(url, (client) =>
        client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        ),
      );
      expect(await retryUntilFulfilled(() => settings.get('name'))).toBe('value');
    }));

  test('that becomes available while the service starts is waited for', () =>
    withStores(async (_, url) => {
      await control?.stop('fast');
      const log = recordLog();
      const pendingStores = openSqlStores({ kind: 'postgresql', url }, { log });
      while (log.lines.length < 2) await setTimeout(10);
      await control?.start();
      const { settings, close } = await pendingStores;
      await settings.put('name', 'value');
      await close();
      expect(log.messages()[0]).toMatch(
        /^The database at 127\.0\.0\.1:\d+\/portico_\w+ cannot be reached; retrying for up to \d+ s$/,
      );
    }));

  test.for<FaultMode>(['down', 'hang', 'reset', 'garbage'])(
    'behind a network in mode %o fails requests within a bounded time, and works again afterwards',
    (mode) =>
      withProxy(async (url, setMode) => {
        const { stores, settings, probe, close } = await openSqlStores({ kind: 'postgresql', url });
        await settings.put('name', 'before');
        await setMode(mode);
        const results = await Promise.all([
          ...Array.from({ length: 12 }, () => measure(settings.get('name'))),
          ...Array.from({ length: 3 }, () => measure(settings.put('name', 'meanwhile'))),
          measure(stores.audit.append(anEntry(), null)),
          measure(probe.check()),
        ]);
        expect(results.filter(({ outcome, ms }) => outcome !== 'rejected' || ms > durationMsMax)).toEqual([]);
        await setMode('pass');
        await retryUntilFulfilled(() => settings.put('name', 'after'));
        expect(await retryUntilFulfilled(() => settings.get('name'))).toBe('after');
        await retryUntilFulfilled(() => stores.audit.append(anEntry(), null));
        await close();
      }),
  );

  test.for<FaultMode>(['hang', 'reset'])(
    'that becomes unreachable during a commit (network mode %o) is not retried, because the outcome is unknown',
    (mode) =>
      withProxy(async (url, setMode) => {
        const { pool } = await openPostgresql(url, migrationOptions, 20_000);
        const database = new PostgresqlDatabase(pool);
        let attempts = 0;
        const pendingWrite = database.write(async (sql) => {
          attempts += 1;
          await sql.run("insert into settings (name, value) values ('a', '')");
          await setMode(mode);
        });
        await expect(pendingWrite).rejects.toThrow('during a commit');
        await setMode('pass');
        expect(attempts).toBe(1);
        await database.close();
      }),
  );

  /** Delays each commit of an audit entry by this many seconds. */
  const delayCommits = (client: Client, seconds: number) =>
    client.query(`create function slow() returns trigger language plpgsql as
        'begin perform pg_sleep(${seconds}); return null; end';
      create constraint trigger slow after insert on audit_entries deferrable initially deferred
        for each row execute function slow()`);
  const isCommitting = async (client: Client): Promise<boolean> => {
    const selectSleeping = `select from pg_stat_activity where wait_event = 'PgSleep' and query = 'commit'
      and datname = current_database()`;
    return (await client.query(selectSleeping)).rowCount === 1;
  };

  test('that loses the connection after committing an entry confirms the commit on another connection', () =>
    withProxy(async (url, setMode, proxy) => {
      const { stores, close } = await openSqlStores({ kind: 'postgresql', url });
      await runOnDatabase(toDirectUrl(url), async (client) => {
        await delayCommits(client, 0.5);
        const entry = anEntry();
        const pendingAppend = stores.audit.append(entry, null);
        while (!(await isCommitting(client))) await setTimeout(5);
        await setMode('hang');
        const isStored = 'select from audit_entries where id = $1';
        while ((await client.query(isStored, [entry.id])).rowCount === 0) await setTimeout(5);
        proxy.dropAll();
        await setMode('pass');
        await pendingAppend;
      });
      expect(await stores.audit.readPage({ source: 'all' }, 0, 10)).toMatchObject({ total: 1 });
      await close();
    }));

  test('that loses the connection before it has committed an entry never stores it later', () =>
    withProxy(async (url, setMode, proxy) => {
      const { stores, close } = await openSqlStores({ kind: 'postgresql', url });
      await runOnDatabase(toDirectUrl(url), async (client) => {
        // The commit takes longer than the queries for its outcome may last.
        await delayCommits(client, 4.5);
        const outcome = expect(stores.audit.append(anEntry(), null)).rejects.toThrow('terminated');
        while (!(await isCommitting(client))) await setTimeout(5);
        proxy.dropAll();
        await outcome;
        expect(await isCommitting(client)).toBe(false);
      });
      await setMode('pass');
      expect(await stores.audit.readPage({ source: 'all' }, 0, 10)).toMatchObject({ total: 0 });
      await close();
    }));

  test.for([
    ['was committed', true],
    ['was not committed', false],
  ] as const)(
    'whose response to a commit is lost is queried for the outcome on another connection: it %s',
    ([, isDelivered]) =>
      withProxy(async (url) => {
        const { pool } = await openPostgresql(url, migrationOptions, 20_000);
        const database = new PostgresqlDatabase(pool);
        pool.once('acquire', (client: PoolClient) => loseCommitResponse(client, isDelivered));
        const pendingWrite = database.write(async (sql) => {
          await sql.run("insert into settings (name, value) values ('a', 'kept')");
          return 'answer';
        });
        if (isDelivered) expect(await pendingWrite).toBe('answer');
        else await expect(pendingWrite).rejects.toThrow('lost');
        const row = await database.reads.first('select value from settings where name = ?', ['a']);
        expect(row).toEqual(isDelivered ? { value: 'kept' } : undefined);
        await database.close();
      }),
  );
});

/** Loses the response to the next commit on the connection, whether or not the commit reaches the server. */
const loseCommitResponse = (client: PoolClient, isDelivered: boolean): void => {
  const query = client.query.bind(client) as (config: { readonly text: string }) => Promise<unknown>;
  const queryWithLoss = async (config: { readonly text: string }) => {
    if (config.text !== 'commit') return query(config);
    if (isDelivered) await query(config);
    throw new Error('Connection lost');
  };
  Object.assign(client, { query: queryWithLoss });
};

const withProxy = async (
  work: (url: string, setMode: (mode: FaultMode) => Promise<void>, proxy: FaultProxy) => Promise<void>,
): Promise<void> => {
  const url = (await server?.createDatabase()) ?? '';
  const { hostname: host, port } = new URL(url);
  const proxy = await startFaultProxy({ host, port: Number(port) });
  try {
    await work(proxy.rewriteUrl(url), (mode) => proxy.set(mode), proxy);
  } finally {
    await proxy.close();
  }
};

/** Returns the URL of the same database without the proxy. */
const toDirectUrl = (url: string): string => {
  const directAddress = new URL(server?.url ?? '');
  directAddress.pathname = new URL(url).pathname;
  return directAddress.href;
};
