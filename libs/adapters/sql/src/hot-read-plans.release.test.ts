import { start } from '@portico/contracts';
import SqliteDriver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { crowded, numbered } from '../test/crowded.ts';
import { newMigratedDatabase, onDatabase, postgres } from '../test/with-postgresql.ts';
import { withMigratedFile } from '../test/with-stores.ts';
import { createSqlCallerLookup } from './caller-lookup.ts';
import { createSqlCollectionReads } from './collection-reads.ts';
import { openSqlStores } from './index.ts';
import { Statements } from './postgresql/statements.ts';
import type { PreparedRead, PreparedReads, Value } from './sql.ts';

/** A statement as a request sends it. */
interface Sent {
  readonly text: string;
  readonly parameters: readonly Value[];
}

/** Reads that note what they would send, and find nothing. */
const noting = (sent: Sent[]): PreparedReads => {
  const note =
    <Answer>(answer: Answer) =>
    (text: string): PreparedRead<Answer> =>
    async (...parameters) => {
      sent.push({ text, parameters });
      return answer;
    };
  const [row, rows] = [note(undefined), note<never[]>([])];
  return { all: rows, first: row, large: row, column: rows };
};

/** The statements that judge a client's requests, and those of its lists. */
const statementsOf = async (client: number, idsInJson: string): Promise<readonly Sent[]> => {
  const sent: Sent[] = [];
  const callers = createSqlCallerLookup(noting(sent));
  const lists = createSqlCollectionReads(noting(sent), { idsInJson });
  const { id, clientId, uid } = numbered.profile(client);
  const target = numbered.collection(300);
  await callers.byClientId(clientId, null, start);
  await callers.byClientId(clientId, { id: target, part: 'whole' }, start);
  await callers.byUid(uid, { id: target, part: 'head' }, start);
  const granted = { of: 'granted', to: id, at: start } as const;
  await lists.visibleIds(granted);
  await lists.list(granted, { limit: 50, after: null });
  await lists.findByNames(granted, ['Road 300']);
  expect(sent.length).toBe(6);
  return sent;
};

/** Of one in no group, and of one in ten. */
const allStatements = async (idsInJson: string) =>
  (await Promise.all([5, 77].map((client) => statementsOf(client, idsInJson)))).flat();

test('a request on SQLite looks up what it reads by indexes', () =>
  withMigratedFile(async (file) => {
    const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
    const connection = new SqliteDriver(file);
    connection.pragma('foreign_keys = off');
    await crowded(stores, (sql) => void connection.exec(sql));
    for (const { text, parameters } of await allStatements('select value from json_each(?)')) {
      const explained = ['explain query plan', text].join(' ');
      const rows = connection.prepare<unknown[], { detail: string }>(explained).all(...parameters);
      const details = rows.map(({ detail }) => detail);
      show('SQLite', details);
      expect(details.some((detail) => detail.startsWith('SEARCH'))).toBe(true);
      // A table is named by its alias; `mine`, `visible` and `json_each` are few rows, known before.
      expect(details.filter((detail) => /^SCAN (?!mine\b|visible\b|json_each\b)|AUTOMATIC/.test(detail))).toEqual([]);
    }
    connection.close();
    await close();
  }));

/** Prints a plan, for whoever asks by `SHOW_PLANS=1`. */
const show = (database: string, lines: readonly string[]): void => {
  if (process.env['SHOW_PLANS']) console.log([database, ...lines].join('\n  '));
};

/** Tables that grow with the number of clients, groups or grants. */
const grows: ReadonlySet<string> = new Set([
  'profiles',
  'grants',
  'group_grants',
  'group_members',
  'claimed_groups',
  'access_groups',
]);

/** A node of a plan of PostgreSQL, with what it has done. */
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

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const literal = (value: Value): string => (typeof value === 'string' ? `'${value}'` : String(value));

describe.skipIf(!postgres)('on PostgreSQL', () => {
  test('a request looks up what it reads by indexes, and reads few rows', async () => {
    const url = await newMigratedDatabase();
    const { stores, close } = await openSqlStores({ kind: 'postgresql', url });
    await onDatabase(url, async (client) => {
      await crowded(stores, async (sql) => void (await client.query(`set session_replication_role = replica; ${sql}`)));
      await client.query('vacuum analyze');
      // A connection plans a prepared statement anew at first, and for any parameters later on.
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`set plan_cache_mode = ${mode}`);
        for (const { text, parameters } of await allStatements('select json_array_elements_text(?::json)')) {
          await client.query(`prepare hot as ${new Statements().of(text).text}`);
          const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
            `explain (analyze, buffers, format json) execute hot(${parameters.map(literal).join(', ')})`,
          );
          if (process.env['SHOW_PLANS']) {
            const lines = await client.query<{ 'QUERY PLAN': string }>(
              `explain (analyze, buffers, costs off) execute hot(${parameters.map(literal).join(', ')})`,
            );
            show(
              `PostgreSQL, ${mode}`,
              lines.rows.map((line) => line['QUERY PLAN']),
            );
          }
          await client.query('deallocate hot');
          // A list reads collections by their ids, in one go; a name must not.
          const tables = text.includes('name_key in') ? new Set([...grows, 'collections']) : grows;
          const read = rows
            .flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan))
            .filter((node) => tables.has(node['Relation Name'] ?? ''));
          expect(read.length).toBeGreaterThan(3);
          expect(read.filter((node) => node['Node Type'].includes('Seq Scan'))).toEqual([]);
          // A client has 100 grants, and its ten groups 200.
          expect(sum(read.map((node) => node['Actual Rows'] * node['Actual Loops']))).toBeLessThan(400);
          expect(sum(read.map((node) => node['Shared Hit Blocks'] + node['Shared Read Blocks']))).toBeLessThan(300);
        }
      }
    });
    await close();
  });
});
