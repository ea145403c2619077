import { start } from '@portico/contracts';
import SqliteDriver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { insertManyRows, idsOf } from '../test/insert-many-rows.ts';
import { createMigratedDatabase, runOnDatabase, postgres } from '../test/with-postgresql.ts';
import { withMigratedFile } from '../test/with-stores.ts';
import { createSqlCallerLookup } from './caller-lookup.ts';
import { createSqlCollectionReads } from './collection-reads.ts';
import { openSqlStores } from './index.ts';
import { Statements } from './postgresql/statements.ts';
import type { PreparedRead, PreparedReads, Value } from './sql.ts';

/** A statement, as sent by a request. */
interface Query {
  readonly text: string;
  readonly parameters: readonly Value[];
}

/** Returns reads that record their statements and return nothing. */
const createRecordingReads = (queries: Query[]): PreparedReads => {
  const record =
    <Result>(result: Result) =>
    (text: string): PreparedRead<Result> =>
    async (...parameters) => {
      queries.push({ text, parameters });
      return result;
    };
  const [row, rows] = [record(undefined), record<never[]>([])];
  return { prepareAll: rows, prepareFirst: row, prepareLarge: row, prepareColumn: rows };
};

/** Returns the statements that look up a client for its requests, and the statements that read its lists. */
const statementsOf = async (client: number, idsInJson: string): Promise<readonly Query[]> => {
  const queries: Query[] = [];
  const callers = createSqlCallerLookup(createRecordingReads(queries));
  const lists = createSqlCollectionReads(createRecordingReads(queries), { idsInJson });
  const { id, clientId, uid } = idsOf.profile(client);
  const target = idsOf.collection(300);
  await callers.findByClientId(clientId, null, start);
  await callers.findByClientId(clientId, { id: target, detail: 'full' }, start);
  await callers.findByUid(uid, { id: target, detail: 'head' }, start);
  const visibility = { scope: 'granted', profileId: id, now: start } as const;
  await lists.listVisibleIds(visibility);
  await lists.list(visibility, { limit: 50, after: null });
  await lists.findByNames(visibility, ['Road 300']);
  await lists.listNamesakes(visibility, ['Road 300', 'Road 301']);
  expect(queries.length).toBe(7);
  return queries;
};

/** Returns the statements for a client in no group, and for a client in ten groups. */
const collectAllStatements = async (idsInJson: string) =>
  (await Promise.all([5, 77].map((client) => statementsOf(client, idsInJson)))).flat();

test('a request on SQLite reads only through indexes', () =>
  withMigratedFile(async (file) => {
    const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
    const connection = new SqliteDriver(file);
    connection.pragma('foreign_keys = off');
    await insertManyRows(stores, (sql) => void connection.exec(sql));
    for (const { text, parameters } of await collectAllStatements('select value from json_each(?)')) {
      const explainText = ['explain query plan', text].join(' ');
      const rows = connection.prepare<unknown[], { detail: string }>(explainText).all(...parameters);
      const details = rows.map(({ detail }) => detail);
      printPlan('SQLite', details);
      expect(details.some((detail) => detail.startsWith('SEARCH'))).toBe(true);
      // Plans show a table by its alias; `mine`, `live`, `visible` and `json_each` have only a few rows, which are already
      // known.
      expect(
        details.filter((detail) => /^SCAN (?!mine\b|live\b|visible\b|json_each\b)|AUTOMATIC/.test(detail)),
      ).toEqual([]);
    }
    connection.close();
    await close();
  }));

/** Prints a plan if `SHOW_PLANS=1` is set. */
const printPlan = (database: string, lines: readonly string[]): void => {
  if (process.env['SHOW_PLANS']) console.log([database, ...lines].join('\n  '));
};

/** Tables that grow with the number of clients, groups or grants. */
const growingTables: ReadonlySet<string> = new Set([
  'profiles',
  'grants',
  'group_grants',
  'group_members',
  'claimed_groups',
  'access_groups',
]);

/** A node of a PostgreSQL plan, with its actual counts. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (plan: PlanNode): readonly PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const toLiteral = (value: Value): string => (typeof value === 'string' ? `'${value}'` : String(value));

describe.skipIf(!postgres)('on PostgreSQL', () => {
  test('a request reads only through indexes, and reads few rows', async () => {
    const url = await createMigratedDatabase();
    const { stores, close } = await openSqlStores({ kind: 'postgresql', url });
    await runOnDatabase(url, async (client) => {
      await insertManyRows(
        stores,
        async (sql) => void (await client.query(`set session_replication_role = replica; ${sql}`)),
      );
      await client.query('vacuum analyze');
      // At first, a connection plans a prepared statement for its actual parameters; later, for any parameters.
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`set plan_cache_mode = ${mode}`);
        for (const { text, parameters } of await collectAllStatements('select json_array_elements_text(?::json)')) {
          await client.query(`prepare hot as ${new Statements().get(text).text}`);
          const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
            `explain (analyze, buffers, format json) execute hot(${parameters.map(toLiteral).join(', ')})`,
          );
          if (process.env['SHOW_PLANS']) {
            const lines = await client.query<{ 'QUERY PLAN': string }>(
              `explain (analyze, buffers, costs off) execute hot(${parameters.map(toLiteral).join(', ')})`,
            );
            printPlan(
              `PostgreSQL, ${mode}`,
              lines.rows.map((line) => line['QUERY PLAN']),
            );
          }
          await client.query('deallocate hot');
          // A list may scan the collections by their ids; a search by name must not.
          const tables = text.includes('name_key in') ? new Set([...growingTables, 'collections']) : growingTables;
          const nodes = rows
            .flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan))
            .filter((node) => tables.has(node['Relation Name'] ?? ''));
          expect(nodes.length).toBeGreaterThan(3);
          expect(nodes.filter((node) => node['Node Type'].includes('Seq Scan'))).toEqual([]);
          // A client has 100 grants, and its ten groups have 200.
          expect(sum(nodes.map((node) => node['Actual Rows'] * node['Actual Loops']))).toBeLessThan(400);
          expect(sum(nodes.map((node) => node['Shared Hit Blocks'] + node['Shared Read Blocks']))).toBeLessThan(300);
        }
      }
    });
    await close();
  });
});
