import { defineEntity, p } from '@mikro-orm/core';
import { expect, test } from 'vitest';
import { describeDialects } from '../../test/dialects.ts';
import { movedTables, tablesOfEntities } from './moved-tables.ts';

describeDialects(({ withDatabase }) => {
  test('every table except the table of migrations is moved, with all its columns', () =>
    withDatabase(async (open, run) => {
      await (await open()).close();
      const tables = await run<{ name: string }>(tablesOnPostgresql)
        .catch(() => run<{ name: string }>(tablesOnSqlite, []))
        .then((rows) => rows.map(({ name }) => name).toSorted());
      expect(tables).toEqual([...movedTables.map(({ name }) => name), 'schema_migrations'].toSorted());
      for (const { name, columns } of movedTables) {
        const columnNames = await run<{ name: string }>(columnsOnPostgresql, [name]).catch(() =>
          run<{ name: string }>('select name from pragma_table_info(?)', [name]),
        );
        expect(columnNames.map((column) => column.name).toSorted()).toEqual(
          columns.map((column) => column.name).toSorted(),
        );
      }
    }));

  test('each table has the primary key by which its rows are ordered', () =>
    withDatabase(async (open, run) => {
      await (await open()).close();
      for (const { name, key } of movedTables) {
        const keyNames = await run<{ name: string }>(keyOnPostgresql, [name]).catch(() =>
          run<{ name: string }>('select name from pragma_table_info(?) where pk > 0', [name]),
        );
        expect(keyNames.map((column) => column.name).toSorted()).toEqual(key.toSorted());
      }
    }));
});

const tablesOnPostgresql = `select table_name as name from information_schema.tables where table_schema = 'public'`;
const tablesOnSqlite = `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`;
const columnsOnPostgresql = `select column_name as name from information_schema.columns where table_name = ?`;
const keyOnPostgresql = `select a.attname as name from pg_index i
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
  where i.indrelid = cast(? as regclass) and i.indisprimary`;

const Country = defineEntity({ name: 'Country', tableName: 'countries', properties: { id: p.text().primary() } });
const City = defineEntity({
  name: 'City',
  tableName: 'cities',
  properties: {
    seq: p.integer().primary(),
    countryId: () => p.manyToOne(Country).mapToPk().joinColumn('country_id'),
    isCapital: p.boolean(),
    map: p.blob(),
  },
});

test('a table comes after the tables that it refers to, regardless of the order of the entities', () => {
  expect(tablesOfEntities([City, Country]).map(({ name }) => name)).toEqual(['countries', 'cities']);
});

test('a table has its columns, its key, and the column with generated values', () => {
  expect(tablesOfEntities([Country, City])[1]).toMatchObject({
    columns: [
      { name: 'seq', kind: 'plain' },
      { name: 'country_id', kind: 'plain' },
      { name: 'is_capital', kind: 'boolean' },
      { name: 'map', kind: 'bytes' },
    ],
    key: ['seq'],
    identity: 'seq',
  });
  expect(tablesOfEntities([Country])[0]?.identity).toBeNull();
});

test('tables with circular references cannot be sorted', () => {
  const cyclicEntities = [
    { meta: { tableName: 'hens', properties: { egg: { entity: () => cyclicEntities[1] } } } },
    { meta: { tableName: 'eggs', properties: { hen: { entity: () => cyclicEntities[0] } } } },
  ] as Parameters<typeof tablesOfEntities>[0][number][];
  expect(() => tablesOfEntities(cyclicEntities)).toThrow('hens, eggs form a cycle');
});
