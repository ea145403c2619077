import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { start } from '@portico/contracts';
import { dayMs, type AuditFilter } from '@portico/domain';
import { openSqlStores } from '@portico/sql';
import { startPostgres } from '@portico/test-servers';
import { Client } from 'pg';
import { createTemporaryFolder } from './installation.ts';
import { reportFigures, type Figure } from './report.ts';
import { medianOf } from './statistics.ts';

/**
 * `npm run bench:audit`: times how long it takes to read pages of an audit log of five million entries through its
 * port, on SQLite or, with `-- --servers`, on PostgreSQL. Reports the median of 20 pages at each position. Half of the
 * entries are from a single day.
 */
const { values } = parseArgs({
  options: { servers: { type: 'boolean', default: false }, entries: { type: 'string', default: '5000000' } },
});
const count = Number(values.entries);
const batchSize = 100_000;

await using stack = new AsyncDisposableStack();
const file = join(createTemporaryFolder(stack), 'portico.sqlite');
const server = values.servers ? await startPostgres({ durable: true }) : null;
if (values.servers && !server) throw new Error('PostgreSQL is not available');
if (server) stack.defer(() => server.close());
const url = await server?.createDatabase();
const open = () => openSqlStores(url === undefined ? { kind: 'sqlite', file } : { kind: 'postgresql', url });

/** Runs statements and returns the rows of the last one. */
type Run = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const connect = async (): Promise<Run> => {
  if (url === undefined) {
    const database = new DatabaseSync(file);
    stack.defer(() => database.close());
    return async (sql) => (sql.startsWith('select') ? database.prepare(sql).all() : (database.exec(sql), []));
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  return async (sql) => (await client.query<Record<string, unknown>>(sql)).rows;
};

/**
 * Returns the statements to insert a batch of entries, numbered from `first`. A tenth of them are the service's own.
 */
const insertStatements = (firstNumber: number): string => `
  insert into audit_entries (id, source, actor_id, message, timestamp, instant, received_at, collection_id, action)
  with recursive numbers (n) as (
    select cast(${firstNumber} as bigint) union all select n + 1 from numbers where n < ${firstNumber + batchSize - 1})
  select 'entry ' || n, case n % 10 when 0 then 'system' else 'client' end, 'actor ' || (n % 1000),
    '{"action":"order.shipped","text":"A parcel of four left the house."}', '2026-01-01T00:00:00.000Z',
    cast(${start} as bigint) + case when n <= ${count / 2} then n * 7919 % ${dayMs} else n * 7919 % ${180 * dayMs} end,
    ${start} + n, 'collection ' || (n % 500), 'action ' || (n % 20) from numbers;
  update audit_totals set entries = entries +
    case scope when 'all' then ${batchSize} when 'system' then ${batchSize / 10} else ${batchSize - batchSize / 10} end`;

const countDaysStatements = `
  delete from audit_days;
  insert into audit_days (scope, day, entries)
    select source, cast(floor(instant / ${dayMs}) as int), count(*) from audit_entries group by 1, 2;
  insert into audit_days (scope, day, entries) select 'all', day, sum(entries) from audit_days group by day`;

/** The query for all indexes except the one by instant: creating them at the end takes a fraction of the time. */
const indexQuery = url
  ? `select indexname as name, indexdef as sql from pg_indexes
      where tablename = 'audit_entries' and indexname not in ('audit_entries_pkey', 'audit_entries_instant_index')`
  : `select name, sql from sqlite_master
      where tbl_name = 'audit_entries' and sql like 'create index%' and name <> 'audit_entries_instant_index'`;

await (await open()).close();
const run = await connect();
const deferredIndexes = await run(indexQuery);
for (const { name } of deferredIndexes) await run(`drop index ${String(name)}`);
for (let firstNumber = 1; firstNumber <= count; firstNumber += batchSize)
  await run(`begin; ${insertStatements(firstNumber)}; commit`);
await run(countDaysStatements);
for (const { sql } of deferredIndexes) await run(String(sql));
// PostgreSQL would do this automatically after the number of entries has grown by a fifth.
await run(url ? 'vacuum analyze' : 'analyze');
process.stderr.write(`… ${count} entries inserted\n`);

const { stores, close } = await open();
stack.defer(close);
const measureMedian = async (filter: AuditFilter, share: number): Promise<number> => {
  const { total } = await stores.audit.readPage(filter, 0, 1);
  const times: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const startedAt = performance.now();
    const { entries } = await stores.audit.readPage(filter, Math.floor((total - 1_000) * share) + index * 50, 50);
    times.push(performance.now() - startedAt);
    if (entries.length !== 50) throw new Error('Entries are missing from a page');
  }
  return medianOf(times);
};
const figures: Figure[] = [];
for (const filter of [{ source: 'all' }, { source: 'system' }, { source: 'all', action: 'action 7' }] as const)
  for (const [position, share] of Object.entries({ first: 0, middle: 0.5, busiest: 0.75, last: 1 }))
    figures.push({
      name: `${Object.values(filter).join(', ')}: ${position} pages`,
      ms: await measureMedian(filter, share),
      budgetMs: 100,
    });
reportFigures(`a page of ${count} entries, p50`, figures);
