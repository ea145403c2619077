import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import { expect, describe, test } from 'vitest';
import type { ProfileId } from '@portico/domain';
import { newDatabase, onDatabase, postgres } from '../../test/with-postgresql.ts';
import { withFile } from '../../test/with-stores.ts';
import { openSqlStores, type SqlStores } from '../index.ts';
import { dueJobsByKind } from './0002-due-jobs-by-kind.ts';
import { initial } from './0001-initial.ts';

/** A bound admin, a bound client and an unbound profile, as versions before issuers wrote them. */
const rows = ['admin', 'client', 'unbound'].map(
  (name, at) =>
    `insert into profiles (id, email, full_name, role, status, uid, bound, created_at, updated_at, grants_epoch) values
    ('00000000-0000-4000-8000-00000000000${at}', '${name}@example.com', 'Name', '${name === 'admin' ? 'admin' : 'client'}',
    'pending', '${name}', ${name === 'unbound' ? 'false' : 'true'}, ${at}, ${at}, 0)`,
);
const history = [
  'create table schema_migrations (id integer primary key, name text, executed_at text default current_timestamp)',
  `insert into schema_migrations (id, name) values (1, '0001-initial'), (2, '0002-due-jobs-by-kind')`,
];

const issuersIn = async ({ stores }: SqlStores) =>
  (await stores.profiles.list()).map(({ uid, issuer }) => [uid, issuer]);

const adopts = async (open: () => Promise<SqlStores>, boundIn: () => Promise<readonly unknown[]>): Promise<void> => {
  const opened = await open();
  expect(await issuersIn(opened)).toEqual([
    ['admin', ''],
    ['client', ''],
    ['unbound', null],
  ]);
  const { profiles } = opened.stores;
  expect(await profiles.adoptBindings(({ uid }) => `urn:${uid}`)).toBe(2);
  const id = '00000000-0000-4000-8000-000000000002' as ProfileId;
  await profiles.update(id, (state) => ({
    ...state,
    profile: { ...state.profile, issuer: 'urn:late' },
    deadline: null,
  }));
  await profiles.update('00000000-0000-4000-8000-000000000001' as ProfileId, (state) => ({
    ...state,
    profile: { ...state.profile, issuer: null },
    deadline: null,
  }));
  await opened.close();
  const again = await open();
  expect(await issuersIn(again)).toEqual([
    ['admin', 'urn:admin'],
    ['client', null],
    ['unbound', 'urn:late'],
  ]);
  await again.close();
  // For older versions, which have no issuer.
  expect(await boundIn()).toEqual([true, false, true]);
};

const select = 'select bound from profiles order by created_at';

describe('bindings from before issuers were stored are adopted', () => {
  test('on SQLite', () =>
    withFile(async (file) => {
      mkdirSync(dirname(file));
      const database = new SqliteDriver(file);
      for (const statement of [...initial.sqlite, ...dueJobsByKind.sqlite, ...history, ...rows])
        database.exec(statement);
      database.close();
      await adopts(
        () => openSqlStores({ kind: 'sqlite', file }),
        async () => {
          const after = new SqliteDriver(file, { readonly: true });
          const bound = after.prepare<[], number>(select).pluck().all();
          after.close();
          return bound.map(Boolean);
        },
      );
    }));

  test.skipIf(!postgres)('on PostgreSQL', async () => {
    const url = await newDatabase();
    await onDatabase(url, async (client) => {
      const made = history.map((statement) => statement.replace('id integer', 'id serial'));
      for (const statement of [...initial.postgresql, ...dueJobsByKind.postgresql, ...made, ...rows]) {
        await client.query(statement);
      }
      await client.query(`select setval('schema_migrations_id_seq', 2)`);
    });
    await adopts(
      () => openSqlStores({ kind: 'postgresql', url }),
      async () => {
        const { rows: after } = await onDatabase(url, (client) => client.query<{ bound: boolean }>(select));
        return after.map(({ bound }) => bound);
      },
    );
  });
});
