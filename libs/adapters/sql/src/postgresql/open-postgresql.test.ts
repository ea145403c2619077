import { inspect } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { anEntry, recordLog } from '@portico/contracts';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { startChild } from '../../test/child.ts';
import { createDatabase, runOnDatabase, postgres } from '../../test/with-postgresql.ts';
import { migrationOptions, withFile } from '../../test/with-stores.ts';
import { DatabaseUnavailableError, openSqlStores, type SqlConfig } from '../index.ts';
import { migrations } from '../migrations/index.ts';
import { createOrmOptions } from './apply-migrations.ts';
import { openPostgresql } from './open-postgresql.ts';

const open = (url: string) => openSqlStores({ kind: 'postgresql', url });
/** The port of tcpmux, which is not in use anywhere and is never assigned by a system. */
const closedPort = 1;

/** Returns the URL with one part changed. */
const changeUrl = (url: string, change: (address: URL) => void): string => {
  const address = new URL(url);
  change(address);
  return address.href;
};

describe.skipIf(!postgres)('a PostgreSQL database', () => {
  test('has exactly the tables of the entities once it is migrated, and compares text by code points', async () => {
    const url = await createDatabase();
    await (await openPostgresql(url, migrationOptions, 20_000)).pool.end();
    const orm = await MikroORM.init(createOrmOptions(url, new URL(url).pathname.slice(1)));
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
    await orm.close(true);
  });

  test('can be opened by eight processes concurrently while it is empty', async () => {
    const url = await createDatabase();
    const openedStores = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    await Promise.all(openedStores.map(({ stores }) => stores.audit.append(anEntry(), null)));
    for (const { stores, close } of openedStores) {
      expect(await stores.audit.readPage({ source: 'all' }, 0, 1)).toMatchObject({ total: 8 });
      await close();
    }
    const appliedMigrations = await runOnDatabase(url, (client) =>
      client.query<{ name: string }>('select name from schema_migrations'),
    );
    expect(appliedMigrations.rows).toEqual(migrations.map(({ name }) => ({ name })));
  });

  test('without tables gets them even if an outdated schema must not be migrated', async () => {
    const log = recordLog();
    const sqlStores = await openSqlStores(
      { kind: 'postgresql', url: await createDatabase() },
      { onOutdatedSchema: 'reject', log },
    );
    expect(sqlStores.appliedMigrations.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    await sqlStores.close();
    expect(log.messages()).toEqual([]);
  });

  test('is opened once another process has migrated it, and the wait is logged', async () => {
    const url = await createDatabase();
    const log = recordLog();
    const otherClient = new Client({ connectionString: url });
    await otherClient.connect();
    await otherClient.query('select pg_advisory_lock(1886351988, 2)');
    const pendingOpen = openSqlStores({ kind: 'postgresql', url }, { log });
    while (log.lines.length === 0) await setTimeout(10);
    expect((await otherClient.query("select to_regclass('profiles') as there")).rows).toEqual([{ there: null }]);
    await otherClient.end();
    await (await pendingOpen).close();
    expect(log.messages()).toEqual([expect.stringContaining('Another process is migrating the database')]);
  });

  test('written by a newer version is rejected', async () => {
    const url = await createDatabase();
    await (await open(url)).close();
    await runOnDatabase(url, (client) =>
      client.query("insert into schema_migrations (name) values ('9999-of-the-future')"),
    );
    await expect(open(url)).rejects.toThrow(
      /The database at .* cannot be opened: it has the migration 9999-of-the-future, which this version does not know/,
    );
  });

  test('that has tables of the same names is rejected and left unchanged', async () => {
    const url = await createDatabase();
    await runOnDatabase(url, (client) => client.query('create table settings (number integer)'));
    await expect(open(url)).rejects.toThrow('cannot be opened: ');
    const { rows } = await runOnDatabase(url, (client) =>
      client.query(
        `select table_name from information_schema.tables where table_schema = 'public' and table_name <> 'schema_migrations'`,
      ),
    );
    expect(rows).toEqual([{ table_name: 'settings' }]);
  });

  test('is rejected immediately if the password is wrong, and the error does not reveal it', async () => {
    const url = changeUrl(await createDatabase(), (address) => (address.password = 'not-the-password'));
    const log = recordLog();
    const rejection: unknown = await openSqlStores({ kind: 'postgresql', url }, { log }).catch(
      (error: unknown) => error,
    );
    expect(log.lines).toEqual([]);
    expect(rejection).not.toBeInstanceOf(DatabaseUnavailableError);
    expect(String(rejection)).toContain('password authentication failed');
    for (let error = rejection; error instanceof Error; error = error.cause) {
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('not-the-password');
    }
  });

  test('is rejected immediately if TLS is required and the server does not support it', async () => {
    const url = changeUrl(await createDatabase(), (address) => address.searchParams.set('sslmode', 'verify-full'));
    await expect(open(url)).rejects.toThrow('The server does not support SSL connections');
  });

  test('is rejected immediately, and not created, if it does not exist on the server', async () => {
    const url = changeUrl(await createDatabase(), (address) => (address.pathname = '/portico_nowhere'));
    await expect(open(url)).rejects.toThrow('database "portico_nowhere" does not exist');
    await expect(open(url)).rejects.toThrow('database "portico_nowhere" does not exist');
  });
});

test('a database address that is not a URL is rejected without being quoted', async () => {
  const error: unknown = await open('portico:secret@nowhere').catch((error: unknown) => error);
  expect(String(error)).toContain('is not a PostgreSQL URL');
  expect(String(error)).not.toContain('secret');
});

test('an unreachable server is retried for a while, then reported as unavailable, without the password', async () => {
  const log = recordLog();
  const error: unknown = await openSqlStores(
    { kind: 'postgresql', url: `postgresql://portico:secret@127.0.0.1:${closedPort}/portico` },
    { startWaitMs: 2_000, log },
  ).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(DatabaseUnavailableError);
  expect(String(error)).toContain(`The database at 127.0.0.1:${closedPort}/portico cannot be reached`);
  const messages = log.lines.map(({ message, fields }) => `${message} ${inspect(fields)}`);
  expect(messages.length).toBeGreaterThan(0);
  expect([String(error), ...messages].join('\n')).not.toContain('secret');
});

test('the driver of the other database is never loaded, and the migrator only if there is something to migrate', () =>
  withFile(async (file) => {
    const expectLoaded = async (config: SqlConfig, driver: string) => {
      for (const expectedModules of [[driver, '@mikro-orm/migrations'], [driver]]) {
        const { exited, messages } = startChild('loaded-drivers.ts', JSON.stringify(config));
        expect(await exited).toEqual({ code: 0, signal: null });
        expect(messages).toEqual([expectedModules]);
      }
    };
    await expectLoaded({ kind: 'sqlite', file }, 'better-sqlite3');
    if (postgres) await expectLoaded({ kind: 'postgresql', url: await createDatabase() }, 'pg');
  }));
