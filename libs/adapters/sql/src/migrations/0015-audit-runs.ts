import type { DialectSql } from './migration.ts';

/**
 * Runs of audit entries, so that the place of an entry is found by its offset: each run begins at its place and ends
 * before the next one. Triggers keep the counts, because processes of the version before, which may run beside this
 * one, know only `audit_days`; a later migration removes that table. A run with more than `most` entries is cut into
 * runs of `half`, and one that a removal leaves with fewer than `least` joins the one before it. The first run begins
 * before every entry. To count the entries takes seconds for each million, during which none is written.
 */
export const [most, half] = [4096, 2048];
const least = 512;
const first = Number.MIN_SAFE_INTEGER;

const table = (instant: string) => `create table audit_runs (
  instant ${instant} not null,
  seq bigint not null,
  client_entries bigint not null,
  system_entries bigint not null,
  primary key (instant, seq)
)`;

/**
 * Makes runs of that many entries (places with sources), the first of which begins at that place. What is left joins the
 * last run. Sorting (`+` hides the index) reads ten million rows of an index in order, and not each of the table.
 */
export const cut = (
  instant: string | number,
  seq: string | number,
  count: string,
  entries: string,
) => `insert into audit_runs
    (instant, seq, client_entries, system_entries)
  select case part when 0 then ${instant} else min(case when n = part * ${half} then instant end) end,
    case part when 0 then ${seq} else min(case when n = part * ${half} then seq end) end,
    sum(case source when 'client' then 1 else 0 end), sum(case source when 'system' then 1 else 0 end)
  from (
    select instant, seq, source, n,
      case when n >= ${half} and n / ${half} = (${count}) / ${half} then n / ${half} - 1 else n / ${half} end as part
    from (select instant, seq, source, row_number() over (order by +instant, +seq) - 1 as n from (${entries}) held) numbered
  ) placed
  group by part`;

export const entriesOf = (run: 'new' | 'run') => {
  const count = `${run}.client_entries + ${run}.system_entries`;
  const entries = `select instant, seq, source from audit_entries
    where (instant, seq) >= (${run}.instant, ${run}.seq) order by instant, seq limit ${count}`;
  return [`${run}.instant`, `${run}.seq`, count, entries] as const;
};

const fill = [
  cut(first, 0, 'select count(*) from audit_entries', 'select instant, seq, source from audit_entries'),
  `insert into audit_runs (instant, seq, client_entries, system_entries)
    select ${first}, 0, 0, 0 where not exists (select 1 from audit_runs)`,
];

/** The row id of the run that holds the place. */
export const runOf = (instant: string, seq: string, compared: '<' | '<=' = '<=') => `(select rowid from audit_runs
  where (instant, seq) ${compared} (${instant}, ${seq}) order by instant desc, seq desc limit 1)`;

const sqlite = [
  table('bigint'),
  ...fill,
  // Every transaction that adds entries adds their number to the total, once. A trigger for each entry costs more.
  `create trigger audit_entries_added after update of entries on audit_totals for each row
    when new.scope = 'all' and new.entries > old.entries begin
    update audit_runs set client_entries = client_entries + added.clients, system_entries = system_entries + added.systems
    from (
      select ${runOf('e.instant', 'e.seq')} as run, sum(e.source = 'client') as clients, sum(e.source = 'system') as systems
      from (select instant, seq, source from audit_entries order by seq desc limit new.entries - old.entries) e
      group by run) added
    where audit_runs.rowid = added.run;
  end`,
  `create trigger audit_entries_removed after delete on audit_entries for each row begin
    update audit_runs set client_entries = client_entries - (old.source = 'client'),
        system_entries = system_entries - (old.source = 'system')
      where rowid = ${runOf('old.instant', 'old.seq')};
  end`,
  `create trigger audit_runs_split after update on audit_runs for each row
    when new.client_entries + new.system_entries > ${most} begin
    delete from audit_runs where rowid = new.rowid;
    ${cut(...entriesOf('new'))};
  end`,
  `create trigger audit_runs_join after update on audit_runs for each row
    when new.client_entries + new.system_entries < min(${least}, old.client_entries + old.system_entries)
      and new.instant > ${first} begin
    update audit_runs set client_entries = client_entries + new.client_entries,
        system_entries = system_entries + new.system_entries
      where rowid = ${runOf('new.instant', 'new.seq', '<')};
    delete from audit_runs where rowid = new.rowid;
  end`,
];

const countOnPostgresql = `create function count_audit_runs() returns trigger language plpgsql as $body$
  declare
    sign constant int := case tg_op when 'INSERT' then 1 else -1 end;
    changed record;
    run audit_runs;
  begin
    -- One transaction at a time counts, so that none misses what another adds to a run that it splits.
    perform from audit_totals where scope = 'all' for update;
    for changed in
      update audit_runs r set client_entries = r.client_entries + sign * c.clients,
        system_entries = r.system_entries + sign * c.systems
      from (
        select held.instant, held.seq, count(*) filter (where e.source = 'client') as clients,
          count(*) filter (where e.source = 'system') as systems
        from entries e cross join lateral (
          select instant, seq from audit_runs where (instant, seq) <= (e.instant, e.seq)
          order by instant desc, seq desc limit 1) held
        group by held.instant, held.seq) c
      where r.instant = c.instant and r.seq = c.seq
      returning r.instant, r.seq
    loop
      select * into run from audit_runs where instant = changed.instant and seq = changed.seq;
      if sign < 0 and run.client_entries + run.system_entries < ${least} and run.instant > ${first} then
        delete from audit_runs where instant = run.instant and seq = run.seq;
        update audit_runs set client_entries = client_entries + run.client_entries,
          system_entries = system_entries + run.system_entries
        where (instant, seq) = (select instant, seq from audit_runs where (instant, seq) < (run.instant, run.seq)
          order by instant desc, seq desc limit 1)
        returning * into run;
      end if;
      if run.client_entries + run.system_entries > ${most} then
        delete from audit_runs where instant = run.instant and seq = run.seq;
        ${cut(...entriesOf('run'))};
      end if;
    end loop;
    return null;
  end $body$`;

const postgresql = [
  table('double precision'),
  countOnPostgresql,
  // They lock out writers until the migration is done.
  `create trigger audit_entries_added after insert on audit_entries referencing new table as entries
    for each statement execute function count_audit_runs()`,
  `create trigger audit_entries_removed after delete on audit_entries referencing old table as entries
    for each statement execute function count_audit_runs()`,
  ...fill,
];

export const auditRuns: DialectSql = { sqlite, postgresql };
