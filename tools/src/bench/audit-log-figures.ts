import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { anEntry, nextId, start } from '@portico/contracts';
import { type AuditFilter, type AuditLog, dayMs, type ProfileId } from '@portico/domain';
import { openSqlStores } from '@portico/sql';
import { startPostgres } from '@portico/test-servers';
import { Client } from 'pg';
import { timed } from './timed.ts';

/**
 * Measures the audit log at its port, and prints the figures as JSON: durable entries from callers that each wait for
 * their own, pages and an export of a log of many entries. Half of those are of one day, a third of one minute, a tenth
 * of one millisecond, so that counts for each day or minute would not help. `--postgres` measures a private server.
 */
const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    actors: { type: 'string', default: '32' },
    postgres: { type: 'boolean', default: false },
  },
});
const [count, actorCount] = [Number(values.entries), Number(values.actors)];
const chunk = 100_000;

const instantOf = `cast(${start} as bigint) + case
  when n <= ${count * 0.5} then n * 7919 % ${dayMs}
  when n <= ${count * 0.8} then ${dayMs} + n * 7919 % 60000
  when n <= ${count * 0.9} then ${1.5 * dayMs} else ${2 * dayMs} + n * 7919 % ${180 * dayMs} end`;

/** Entries numbered from `first` on, the tenth of which are the service's own, with their counts. */
const fillFrom = (first: number): readonly string[] => [
  `insert into audit_entries (id, source, actor_id, message, timestamp, instant, received_at, collection_id, action)
    with recursive numbers (n) as (
      select cast(${first} as bigint) union all select n + 1 from numbers where n < ${first + chunk - 1})
    select 'entry ' || n, case n % 10 when 0 then 'system' else 'client' end, 'actor ' || n % 1000,
      '{"action":"order.shipped","text":"A parcel of four left the house."}', '2026-01-01T00:00:00.000Z',
      ${instantOf}, ${start} + n, 'collection ' || n % 500, 'action ' || n % 20 from numbers`,
  `update audit_totals set entries = entries + case scope when 'all' then ${chunk}
    when 'system' then ${chunk / 10} else ${chunk - chunk / 10} end`,
];

const countDays = [
  'delete from audit_days',
  `insert into audit_days (scope, day, entries) select source, cast(floor(instant / ${dayMs}) as int), count(*)
    from audit_entries group by 1, 2`,
  `insert into audit_days (scope, day, entries) select 'all', day, sum(entries) from audit_days group by day`,
];

const folder = mkdtempSync(join(tmpdir(), 'portico-audit-'));
const server = values.postgres ? await startPostgres({ durable: true }) : null;
if (values.postgres && !server) throw new Error('PostgreSQL is not available');
const file = join(folder, 'portico.sqlite');
const url = await server?.newDatabase();
const open = () => openSqlStores(url ? { kind: 'postgresql', url } : { kind: 'sqlite', file });

/** Runs groups of statements, each group in a transaction of its own. */
const run = async (groups: Iterable<readonly string[]>): Promise<void> => {
  if (!url) {
    const database = new DatabaseSync(file);
    for (const group of groups) for (const statement of ['begin', ...group, 'commit']) database.exec(statement);
    return database.close();
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  // The runs are counted by the index that is left. To make the others at the end takes a fraction of the time.
  const { rows } = await client.query<{ name: string; made: string }>(`select indexname as name, indexdef as made
    from pg_indexes where tablename = 'audit_entries' and indexname not in ('audit_entries_pkey', 'audit_entries_instant_index')`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  for (const group of groups) await client.query(group.join('; '));
  for (const { made } of rows) await client.query(made);
  await client.query('vacuum analyze');
  await client.end();
};

const fill = function* () {
  for (let first = 1; first <= count; first += chunk) yield fillFrom(first);
  yield countDays;
};

const actors = Array.from({ length: actorCount }, () => nextId<ProfileId>());
const message = JSON.stringify({ action: 'order.shipped', order: 4711, text: 'A parcel of four left the house.' });

/** Entries a second, and the CPU time of each in microseconds. */
const append = async (audit: AuditLog, callers: number, ms: number) => {
  let appended = 0;
  const { cpu, ...took } = await timed(async () => {
    const until = performance.now() + ms;
    const call = async () => {
      while (performance.now() < until) {
        const [instant, actorId] = [Date.now(), actors[appended % actorCount] ?? null];
        const facets = { clientId: null, collectionId: null, action: 'order.shipped' };
        appended += 1;
        await audit.append(anEntry({ actorId, message, instant, receivedAt: instant, facets }), null);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
  });
  return { perSecond: (appended / took.ms) * 1_000, cpuUs: (cpu / appended) * 1_000, holdMs: took.holdMs };
};

/** The 99th percentile of pages near that part of the log, in milliseconds. Throws if one is not what it should be. */
const page = async (audit: AuditLog, filter: AuditFilter, part: number) => {
  const [times, size]: [number[], number] = [[], 20];
  for (let i = 0; i < 200; i += 1) {
    const { total } = await audit.page(filter, 0, 1);
    const offset = Math.max(0, Math.floor((total - size) * part) - (part === 0.5 ? i * 37 : 0));
    const from = performance.now();
    const { entries } = await audit.page(filter, offset, size);
    times.push(performance.now() - from);
    if (entries.length !== Math.min(size, total)) throw new Error('A page lacks entries');
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99) - 1] ?? Number.NaN;
};

const figures: Record<string, number> = {};
try {
  const empty = await open();
  await append(empty.stores.audit, 32, 1_000);
  for (const callers of [32, 8]) {
    const { perSecond, cpuUs, holdMs } = await append(empty.stores.audit, callers, 4_000);
    Object.assign(figures, {
      [`entriesOf${callers}`]: perSecond,
      [`cpuUsOf${callers}`]: cpuUs,
      [`holdMsOf${callers}`]: holdMs,
    });
  }
  await empty.close();
  const filling = await timed(() => run(fill()));
  figures['fillS'] = filling.ms / 1_000;
  const { stores, close } = await open();
  for (const source of ['all', 'client', 'system'] as const)
    for (const [name, part] of [['First', 0] as const, ['Middle', 0.5] as const, ['Last', 1] as const])
      figures[`${source}${name}PageMs`] = await page(stores.audit, { source }, part);
  figures['actionPageMs'] = await page(stores.audit, { source: 'all', action: 'action 7' }, 0);
  let exported = 0;
  const exporting = await timed(async () => {
    for await (const { source } of stores.audit.export({ source: 'client' }))
      if ((exported += Number(source === 'client')) === 200_000) break;
  });
  figures['exportedPerSecond'] = (exported / exporting.ms) * 1_000;
  figures['exportHoldMs'] = exporting.holdMs;
  const full = await append(stores.audit, 32, 4_000);
  Object.assign(figures, { fullEntriesOf32: full.perSecond, fullCpuUsOf32: full.cpuUs });
  await close();
} finally {
  // What was measured before an error is not lost: filling takes minutes.
  console.log(JSON.stringify(figures, null, 2));
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
}
