import { anEntry, noEffects, start } from '@portico/contracts';
import type { AuditEntry, AuditFilter } from '@portico/domain';
import { expect, test } from 'vitest';
import type { RunSql, TestedDialect } from './dialects.ts';
import type { SqlStores } from '../src/index.ts';

const [most, least] = [4096, 512];

interface Placed {
  readonly instant: number;
  readonly seq: number;
}
type Run = Placed & { readonly clients: number; readonly systems: number };

const compare = (a: Placed, b: Placed): number => a.instant - b.instant || a.seq - b.seq;

/** Asserts that each run has the entries that it counts, and neither too many nor, after a removal, too few. */
const assertCounted = async (run: RunSql, fewest = 1): Promise<void> => {
  const runs = await run<Run>(
    `select instant, cast(seq as int) as seq, cast(client_entries as int) as clients,
    cast(system_entries as int) as systems from audit_runs order by 1, 2`,
    [],
  );
  const entries = await run<Placed & { source: string }>(
    'select instant, cast(seq as int) as seq, source from audit_entries order by 1, 2',
    [],
  );
  const counted = runs.map(({ instant, seq }) => ({ instant, seq, clients: 0, systems: 0 }));
  let at = 0;
  for (const entry of entries) {
    for (let next = counted[at + 1]; next && compare(next, entry) <= 0; next = counted[at + 1]) at += 1;
    const held = counted[at];
    if (held) held[entry.source === 'client' ? 'clients' : 'systems'] += 1;
  }
  expect(runs).toEqual(counted);
  for (const [index, { clients, systems }] of runs.entries()) {
    expect(clients + systems).toBeLessThanOrEqual(most);
    if (index > 0) expect(clients + systems).toBeGreaterThanOrEqual(fewest);
  }
};

/** Adds entries by transactions of that many, two at a time. */
const add = async ({ stores }: SqlStores, entries: readonly AuditEntry[], size = 900): Promise<void> => {
  const groups = Array.from({ length: Math.ceil(entries.length / size) }, (_, i) =>
    entries.slice(i * size, (i + 1) * size),
  );
  for (let i = 0; i < groups.length; i += 2)
    await Promise.all(
      groups
        .slice(i, i + 2)
        .map((group, second) =>
          second
            ? Promise.all(group.map((entry) => stores.audit.append(entry, null)))
            : stores.embeddingJobs.enqueue({ ...noEffects, entries: group }),
        ),
    );
};

const sourceOf = (n: number) => (n % 7 === 0 ? 'system' : 'client');

/** Asserts pages at offsets all over the log, and its totals, against every entry. */
const assertPages = async ({ stores: { audit } }: SqlStores, run: RunSql): Promise<void> => {
  const log = await run<Placed & { id: string; source: string }>(
    'select id, source, instant, cast(seq as int) as seq from audit_entries order by instant desc, seq desc',
    [],
  );
  const middle = log[log.length >> 1]?.instant ?? 0;
  for (const source of ['all', 'client', 'system'] as const) {
    const found = log.filter((entry) => source === 'all' || entry.source === source);
    for (let offset = 0; offset < found.length + 20; offset += 997) {
      const { entries, total } = await audit.page({ source }, offset, 20);
      expect(entries.map(({ id }) => id)).toEqual(found.slice(offset, offset + 20).map(({ id }) => id));
      expect(total).toBe(found.length);
    }
    for (const [from, to] of [[middle, middle + 1], [middle], [undefined, middle], [middle - 1, middle]]) {
      const filter: AuditFilter = {
        source,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
      const within = found.filter(({ instant }) => instant >= (from ?? -Infinity) && instant < (to ?? Infinity));
      expect((await audit.page(filter, 0, 1)).total).toBe(within.length);
    }
  }
};

/** The tables as the version before left them. */
const undo = async (run: RunSql): Promise<void> => {
  for (const name of ['added', 'removed']) {
    await run(`drop trigger audit_entries_${name}`).catch(() => []);
    await run(`drop trigger audit_entries_${name} on audit_entries`).catch(() => []);
  }
  await run('drop table audit_runs');
  await run('drop function count_audit_runs()').catch(() => []);
  await run("delete from schema_migrations where name in ('0015-audit-runs', '0017-quicker-audit-runs')");
};

/** What the version before runs, but for many entries by one statement: it may run beside this one. */
const before = {
  insert: `insert into audit_entries (id, source, message, timestamp, instant, received_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
    select 'before ' || n, case n % 7 when 0 then 'system' else 'client' end, '{}', '', ${start} + n / 3000, ${start} + n
    from numbers`,
  addToDay: `insert into audit_days (scope, day, entries) values (?, ?, ?)
  on conflict (scope, day) do update set entries = audit_days.entries + excluded.entries`,
  addToTotal: `insert into audit_totals (scope, entries) values (?, ?)
  on conflict (scope) do update set entries = audit_totals.entries + excluded.entries`,
  prune: `delete from audit_entries where seq in
  (select seq from audit_entries where received_at < ? order by received_at, seq limit ?) returning source, instant`,
};

const addedBefore = async (run: RunSql): Promise<void> => {
  await run(before.insert, []);
  for (const [scope, entries] of [
    ['all', 10_000],
    ['client', 8_572],
    ['system', 1_428],
  ] as const) {
    await run(before.addToDay, [scope, Math.floor(start / 86_400_000), entries]);
    await run(before.addToTotal, [scope, entries]);
  }
};

/** Defines the tests of the log's runs, and of the migration that adds them. */
export const testAuditRuns = ({ withPlace }: TestedDialect): void => {
  test.for<[string, (n: number) => number]>([
    ['that grows', (n) => start + n],
    ['whose instants come in any order', (n) => start + ((n * 7_919) % 10_007)],
    ['whose instants fall', (n) => start - n],
    ['of one instant', () => start],
    ['of bursts between others', (n) => (n % 3 ? start + 5_000 : start + n)],
    ['of instants between milliseconds, before 1970 too', (n) => (((n * 7_919) % 10_007) - 5_000) / 4],
  ])('runs of a log %s count its entries, and pages are found by them', ([, instantOf]) =>
    withPlace(async (open, run) => {
      const opened = await open();
      const entries = Array.from({ length: 10_000 }, (_, n) =>
        anEntry({ instant: instantOf(n), receivedAt: start + ((n * 31) % 9_973), source: sourceOf(n) }),
      );
      await add(opened, entries);
      await assertCounted(run);
      await assertPages(opened, run);
      while (await opened.stores.audit.prune(start + 8_000, 1_000)) await assertCounted(run);
      await assertCounted(run, least);
      await add(
        opened,
        entries.slice(0, 3_000).map((entry) => anEntry({ instant: entry.instant, receivedAt: start })),
      );
      await assertCounted(run);
      await assertPages(opened, run);
      while (await opened.stores.audit.prune(Number.MAX_SAFE_INTEGER, 1_000));
      await assertCounted(run);
      expect(await opened.stores.audit.page({ source: 'all' }, 40, 20)).toEqual({ entries: [], total: 0 });
      await opened.close();
    }),
  );

  test('a transaction of many entries is cut into runs at once', () =>
    withPlace(async (open, run) => {
      const opened = await open();
      await add(
        opened,
        Array.from({ length: 12_000 }, (_, n) => anEntry({ instant: start + (n % 5) })),
        12_000,
      );
      await assertCounted(run);
      await opened.close();
    }));

  test('what the version before wrote is counted by the migration, and what it writes beside this one is too', () =>
    withPlace(async (open, run) => {
      await (await open()).close();
      await undo(run);
      await addedBefore(run);
      const opened = await open();
      await assertCounted(run);
      await assertPages(opened, run);
      await add(
        opened,
        Array.from({ length: 100 }, () => anEntry({ receivedAt: start })),
      );
      await addedBefore(run);
      await assertCounted(run);
      await assertPages(opened, run);
      await run(before.prune, [start + 5_000, 4_000]);
      for (const [scope, removed] of [['all', 4_000]] as const) await run(before.addToTotal, [scope, -removed]);
      await assertCounted(run);
      await opened.close();
    }));

  test('processes that add and prune at once count every entry', () =>
    withPlace(async (open, run) => {
      const processes = [await open(), await open()] as const;
      const [one] = processes;
      await add(
        one,
        Array.from({ length: 4_000 }, () => anEntry()),
      );
      for (let round = 0; round < 12; round += 1)
        await Promise.all([
          ...processes.map((each, n) =>
            add(
              each,
              Array.from({ length: 400 }, (_, i) =>
                anEntry({ instant: start + ((i * 31) % 40), receivedAt: start + n }),
              ),
              100,
            ),
          ),
          one.stores.audit.prune(start + 1, 300),
        ]);
      await assertCounted(run);
      await assertPages(one, run);
      for (const each of processes) await each.close();
    }));
};
