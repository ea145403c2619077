import { join } from 'node:path';
import { createTemporaryFolder } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, runOnDatabase, postgres } from '../test/with-postgresql.ts';
import { inspectDatabase, type InspectedDatabase, openSqlStores, type SqlConfig } from './index.ts';

const inspect = async (config: SqlConfig): Promise<InspectedDatabase> => {
  const database = await inspectDatabase(config);
  if (!database) throw new Error('There is no database');
  onTestFinished(() => database.close());
  return database;
};

const migrate = async (config: SqlConfig): Promise<SqlConfig> => {
  await (await openSqlStores(config)).close();
  return config;
};

describe('SQLite', () => {
  const createConfig = (): SqlConfig & { readonly file: string } => ({
    kind: 'sqlite',
    file: join(createTemporaryFolder(onTestFinished), 'portico.sqlite'),
  });

  test('a missing file is not a database, and is not created', async () => {
    const config = createConfig();
    expect(await inspectDatabase(config)).toBeNull();
    expect(await inspectDatabase(config)).toBeNull();
  });

  test('the stores can be read, and reject every write', async () => {
    const { stores, tables, readOnlyReason } = await inspect(await migrate(createConfig()));
    expect({ tables, readOnlyReason }).toEqual({ tables: { state: 'current' }, readOnlyReason: null });
    expect(await stores.sealed.read()).toEqual({
      collections: [],
      credentials: [],
      mails: [],
      calls: [],
      webhooks: [],
      pepper: null,
      apiKeys: 0,
      accountKeys: 0,
    });
    expect(await stores.outbox.readState(0)).toMatchObject({ waiting: 0, deadLetters: 0 });
    await expect(stores.sealed.ensurePepper('sealed')).rejects.toThrow('attempt to write a readonly database');
  });
});

describe.skipIf(!postgres)('PostgreSQL', () => {
  const createGuestConfig = async (...rights: readonly string[]): Promise<SqlConfig> => {
    const config = { kind: 'postgresql', url: await createDatabase() } as const;
    await migrate(config);
    const guest = `guest_${Math.random().toString(36).slice(2)}`;
    await runOnDatabase(config.url, async (client) => {
      await client.query(`create role ${guest} login password 'hunter2'`);
      for (const right of rights) await client.query(`grant ${right} to ${guest}`);
    });
    return {
      kind: 'postgresql',
      url: Object.assign(new URL(config.url), { username: guest, password: 'hunter2' }).href,
    };
  };
  const readRights = ['select on all tables in schema public', 'usage on schema public'];

  test('a new database has no tables, and none are created', async () => {
    const config = { kind: 'postgresql', url: await createDatabase() } as const;
    expect((await inspect(config)).tables).toEqual({ state: 'new' });
    expect((await inspect(config)).tables).toEqual({ state: 'new' });
  });

  test('users who may not write tables are distinguished from users who may not create tables', async () => {
    expect((await inspect(await createGuestConfig(...readRights))).readOnlyReason).toBe(
      'this user may not write to its tables',
    );
    const writer = await createGuestConfig(...readRights, 'update on all tables in schema public');
    expect((await inspect(writer)).readOnlyReason).toBe('this user may not create tables in its schema');
    const owner = await createGuestConfig(
      ...readRights,
      'update on all tables in schema public',
      'create on schema public',
    );
    expect((await inspect(owner)).readOnlyReason).toBeNull();
  });

  test('its clock is compared with ours', async () => {
    const { clockSkewMs } = await inspect({ kind: 'postgresql', url: await createDatabase() });
    expect(Math.abs(clockSkewMs ?? Infinity)).toBeLessThan(60_000);
  });
});
