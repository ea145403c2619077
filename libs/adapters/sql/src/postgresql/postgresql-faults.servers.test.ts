import { setTimeout } from 'node:timers/promises';
import { anEntry, aProfile, noEffects, recordLog, start } from '@portico/contracts';
import type { EntryId } from '@portico/domain';
import { type FaultMode, type FaultProxy, startFaultProxy, startPostgres } from '@portico/test-servers';
import type { Client, PoolClient } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { onDatabase } from '../../test/with-postgresql.ts';
import { migrationOptions } from '../../test/with-stores.ts';
import { openSqlStores, type SqlStores } from '../index.ts';
import { openPostgresql } from './open-postgresql.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';

/** A separate server that syncs as in production, and that the tests may stop. */
const server = await startPostgres({ durable: true });
const control = server?.control;
afterAll(() => server?.close());

/** A request ends within ten seconds, regardless of the database; on a busy machine, it takes somewhat longer. */
const boundMs = 120_000;

const withStores = async (work: (stores: SqlStores, url: string) => Promise<void>): Promise<void> => {
  const url = (await server?.newDatabase()) ?? '';
  const opened = await openSqlStores({ kind: 'postgresql', url });
  try {
    await work(opened, url);
  } finally {
    await opened.close();
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

const measure = async (work: Promise<unknown>): Promise<{ readonly outcome: string; readonly ms: number }> => {
  const begin = performance.now();
  const [{ status: outcome }] = await Promise.allSettled([work]);
  return { outcome, ms: performance.now() - begin };
};

describe.skipIf(!control)('a PostgreSQL server', () => {
  test('that hangs fails reads, changes and the probe in bounded time, and serves again once it resumes', () =>
    withStores(async ({ stores, settings, probe }) => {
      const profile = aProfile();
      await stores.profiles.add(profile, noEffects);
      // Opens several connections, which then hang.
      await Promise.all(Array.from({ length: 5 }, () => stores.callers.byUid(profile.uid, null, start)));
      await control?.pause();
      await expect(probe.check()).rejects.toThrow('did not answer within 500 ms');
      const results = await Promise.all([
        ...Array.from({ length: 30 }, () => measure(stores.callers.byUid(profile.uid, null, start))),
        ...Array.from({ length: 30 }, (_, n) => measure(settings.put('name', String(n)))),
        ...Array.from({ length: 30 }, () => measure(stores.audit.append(anEntry(), null))),
        measure(stores.audit.page({ source: 'all' }, 0, 1)),
        measure(probe.check()),
      ]);
      expect(results.filter(({ outcome, ms }) => outcome !== 'rejected' || ms > boundMs)).toEqual([]);
      await control?.resume();
      expect(await retryUntilFulfilled(() => stores.callers.byUid(profile.uid, null, start))).toMatchObject({
        profile,
      });
      await retryUntilFulfilled(() => settings.put('name', 'after'));
      await retryUntilFulfilled(() => probe.check());
      expect(await settings.get('name')).toBe('after');
    }));

  test('that crashes during writes loses nothing it acknowledged, and is used again without a restart', () =>
    withStores(async ({ stores }) => {
      const acknowledged: EntryId[] = [];
      for (let round = 0; round < 3; round += 1) {
        let isWriting = true;
        const writers = Array.from({ length: 8 }, async () => {
          while (isWriting) {
            const entry = anEntry();
            await stores.audit.append(entry, null).then(
              () => acknowledged.push(entry.id),
              () => setTimeout(20),
            );
          }
        });
        const before = acknowledged.length;
        while (acknowledged.length < before + 100) await setTimeout(5);
        await control?.stop('immediate');
        await control?.start();
        const countAfterRestart = acknowledged.length;
        while (acknowledged.length < countAfterRestart + 10) await setTimeout(5);
        isWriting = false;
        await Promise.all(writers);
      }
      const stored = new Set<EntryId>();
      for await (const { id } of stores.audit.export({ source: 'client' })) stored.add(id);
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      expect(await stores.audit.page({ source: 'client' }, 0, 1)).toMatchObject({ total: stored.size });
    }));

  test('may close idle connections without harm', () =>
    withStores(async ({ settings }, url) => {
      await settings.put('name', 'value');
      await onDatabase(url, (client) =>
        client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        ),
      );
      expect(await retryUntilFulfilled(() => settings.get('name'))).toBe('value');
    }));

  test('that becomes available while the service starts is awaited', () =>
    withStores(async (_, url) => {
      await control?.stop('fast');
      const log = recordLog();
      const opening = openSqlStores({ kind: 'postgresql', url }, { log });
      while (log.lines.length < 2) await setTimeout(10);
      await control?.start();
      const { settings, close } = await opening;
      await settings.put('name', 'value');
      await close();
      expect(log.messages()[0]).toMatch(
        /^The database at 127\.0\.0\.1:\d+\/portico_\w+ cannot be reached; retrying for up to \d+ s$/,
      );
    }));

  test.for<FaultMode>(['down', 'hang', 'reset', 'garbage'])(
    'behind a network in mode %o fails requests in bounded time, and serves again afterwards',
    (mode) =>
      throughProxy(async (url, setMode) => {
        const { stores, settings, probe, close } = await openSqlStores({ kind: 'postgresql', url });
        await settings.put('name', 'before');
        await setMode(mode);
        const results = await Promise.all([
          ...Array.from({ length: 12 }, () => measure(settings.get('name'))),
          ...Array.from({ length: 3 }, () => measure(settings.put('name', 'meanwhile'))),
          measure(stores.audit.append(anEntry(), null)),
          measure(probe.check()),
        ]);
        expect(results.filter(({ outcome, ms }) => outcome !== 'rejected' || ms > boundMs)).toEqual([]);
        await setMode('pass');
        await retryUntilFulfilled(() => settings.put('name', 'after'));
        expect(await retryUntilFulfilled(() => settings.get('name'))).toBe('after');
        await retryUntilFulfilled(() => stores.audit.append(anEntry(), null));
        await close();
      }),
  );

  test.for<FaultMode>(['hang', 'reset'])(
    'that becomes unreachable during a commit (network mode %o) gets no second attempt: the outcome is unknown',
    (mode) =>
      throughProxy(async (url, setMode) => {
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
  const slowCommits = (client: Client, seconds: number) =>
    client.query(`create function slow() returns trigger language plpgsql as
        'begin perform pg_sleep(${seconds}); return null; end';
      create constraint trigger slow after insert on audit_entries deferrable initially deferred
        for each row execute function slow()`);
  const isCommitting = async (client: Client): Promise<boolean> => {
    const sleeping = `select from pg_stat_activity where wait_event = 'PgSleep' and query = 'commit'
      and datname = current_database()`;
    return (await client.query(sleeping)).rowCount === 1;
  };

  test('that loses the connection after the commit of an entry confirms it on another connection', () =>
    throughProxy(async (url, setMode, proxy) => {
      const { stores, close } = await openSqlStores({ kind: 'postgresql', url });
      await onDatabase(directUrl(url), async (client) => {
        await slowCommits(client, 0.5);
        const entry = anEntry();
        const appended = stores.audit.append(entry, null);
        while (!(await isCommitting(client))) await setTimeout(5);
        await setMode('hang');
        const isStored = 'select from audit_entries where id = $1';
        while ((await client.query(isStored, [entry.id])).rowCount === 0) await setTimeout(5);
        proxy.dropAll();
        await setMode('pass');
        await appended;
      });
      expect(await stores.audit.page({ source: 'all' }, 0, 10)).toMatchObject({ total: 1 });
      await close();
    }));

  test('that loses the connection before the commit of an entry is done never stores it later', () =>
    throughProxy(async (url, setMode, proxy) => {
      const { stores, close } = await openSqlStores({ kind: 'postgresql', url });
      await onDatabase(directUrl(url), async (client) => {
        // The commit takes longer than the queries for its outcome may last.
        await slowCommits(client, 4.5);
        const outcome = expect(stores.audit.append(anEntry(), null)).rejects.toThrow('terminated');
        while (!(await isCommitting(client))) await setTimeout(5);
        proxy.dropAll();
        await outcome;
        expect(await isCommitting(client)).toBe(false);
      });
      await setMode('pass');
      expect(await stores.audit.page({ source: 'all' }, 0, 10)).toMatchObject({ total: 0 });
      await close();
    }));

  test.for([
    ['was committed', true],
    ['was not', false],
  ] as const)('whose response to a commit is lost is queried again on another connection: it %s', ([, isDelivered]) =>
    throughProxy(async (url) => {
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

const throughProxy = async (
  work: (url: string, setMode: (mode: FaultMode) => Promise<void>, proxy: FaultProxy) => Promise<void>,
): Promise<void> => {
  const url = (await server?.newDatabase()) ?? '';
  const { hostname: host, port } = new URL(url);
  const proxy = await startFaultProxy({ host, port: Number(port) });
  try {
    await work(proxy.through(url), (mode) => proxy.set(mode), proxy);
  } finally {
    await proxy.close();
  }
};

/** Returns the URL of the same database without the proxy. */
const directUrl = (url: string): string => {
  const direct = new URL(server?.url ?? '');
  direct.pathname = new URL(url).pathname;
  return direct.href;
};
