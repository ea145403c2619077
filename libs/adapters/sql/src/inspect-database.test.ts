import { join } from 'node:path';
import { temporaryFolder } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newDatabase, onDatabase, postgres } from '../test/with-postgresql.ts';
import { inspectDatabase, type InspectedDatabase, openSqlStores, type SqlConfig } from './index.ts';

const inspected = async (config: SqlConfig): Promise<InspectedDatabase> => {
  const database = await inspectDatabase(config);
  if (!database) throw new Error('There is no database');
  onTestFinished(() => database.close());
  return database;
};

const migrated = async (config: SqlConfig): Promise<SqlConfig> => {
  await (await openSqlStores(config)).close();
  return config;
};

describe('SQLite', () => {
  const place = (): SqlConfig & { readonly file: string } => ({
    kind: 'sqlite',
    file: join(temporaryFolder(onTestFinished), 'portico.sqlite'),
  });

  test('a file that does not exist is no database, and none is made', async () => {
    const config = place();
    expect(await inspectDatabase(config)).toBeNull();
    expect(await inspectDatabase(config)).toBeNull();
  });

  test('the stores can be read, and refuse every write', async () => {
    const { stores, tables, refusesWrites } = await inspected(await migrated(place()));
    expect({ tables, refusesWrites }).toEqual({ tables: { state: 'current' }, refusesWrites: null });
    expect(await stores.sealed.read()).toEqual({
      collections: [],
      mails: [],
      pepper: null,
      apiKeys: 0,
      accountKeys: 0,
    });
    expect(await stores.outbox.state(0)).toMatchObject({ waiting: 0, deadLetters: 0 });
    await expect(stores.sealed.keepPepper('sealed')).rejects.toThrow('attempt to write a readonly database');
  });
});

describe.skipIf(!postgres)('PostgreSQL', () => {
  const asGuest = async (...rights: readonly string[]): Promise<SqlConfig> => {
    const config = { kind: 'postgresql', url: await newDatabase() } as const;
    await migrated(config);
    const guest = `guest_${Math.random().toString(36).slice(2)}`;
    await onDatabase(config.url, async (client) => {
      await client.query(`create role ${guest} login password 'hunter2'`);
      for (const right of rights) await client.query(`grant ${right} to ${guest}`);
    });
    return {
      kind: 'postgresql',
      url: Object.assign(new URL(config.url), { username: guest, password: 'hunter2' }).href,
    };
  };
  const reading = ['select on all tables in schema public', 'usage on schema public'];

  test('a new database has no tables, and gets none', async () => {
    const config = { kind: 'postgresql', url: await newDatabase() } as const;
    expect((await inspected(config)).tables).toEqual({ state: 'new' });
    expect((await inspected(config)).tables).toEqual({ state: 'new' });
  });

  test('a user who may not write its tables, or not create any, is told apart', async () => {
    expect((await inspected(await asGuest(...reading))).refusesWrites).toBe('this user may not write its tables');
    const writing = await asGuest(...reading, 'update on all tables in schema public');
    expect((await inspected(writing)).refusesWrites).toBe('this user may not create tables in its schema');
    const full = await asGuest(...reading, 'update on all tables in schema public', 'create on schema public');
    expect((await inspected(full)).refusesWrites).toBeNull();
  });

  test('its clock is compared with ours', async () => {
    const { aheadMs } = await inspected({ kind: 'postgresql', url: await newDatabase() });
    expect(Math.abs(aheadMs ?? Infinity)).toBeLessThan(60_000);
  });
});
