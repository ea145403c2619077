import { cut, entriesOf, half, most, runOf } from './0015-audit-runs.ts';
import type { DialectSql } from './migration.ts';

const entries = 'new.client_entries + new.system_entries';

/** The place of the entry that begins the second of two runs. */
const middle = `select instant, seq from audit_entries
  where (instant, seq) >= (new.instant, new.seq) order by instant, seq limit 1 offset ${half}`;

/**
 * The triggers of SQLite do less for a log that grows at its end, as nearly all do: entries after the start of the last
 * run belong to it, so none is looked for, and a run that is cut in two is read by indexes alone, up to its middle.
 */
export const quickerAuditRuns: DialectSql = {
  sqlite: [
    'drop trigger audit_entries_added',
    `create trigger audit_entries_added after update of entries on audit_totals for each row
      when new.scope = 'all' and new.entries > old.entries begin
      update audit_runs set client_entries = client_entries + added.clients, system_entries = system_entries + added.systems
      from (
        select case when e.instant > (select max(instant) from audit_runs)
            then (select rowid from audit_runs order by instant desc, seq desc limit 1)
            else ${runOf('e.instant', 'e.seq')} end as run,
          sum(e.source = 'client') as clients, sum(e.source = 'system') as systems
        from (select instant, seq, source from audit_entries order by seq desc limit new.entries - old.entries) e
        group by run) added
      where audit_runs.rowid = added.run;
    end`,
    'drop trigger audit_runs_split',
    `create trigger audit_runs_split after update on audit_runs for each row
      when ${entries} >= ${most + half} begin
      delete from audit_runs where rowid = new.rowid;
      ${cut(...entriesOf('new'))};
    end`,
    `create trigger audit_runs_halve after update on audit_runs for each row
      when ${entries} > ${most} and ${entries} < ${most + half} begin
      insert into audit_runs (instant, seq, client_entries, system_entries)
        select instant, seq, new.client_entries - (${half} - systems), new.system_entries - systems
        from (
          select m.instant, m.seq, (select count(*) from audit_entries e where e.source = 'system'
            and (e.instant, e.seq) >= (new.instant, new.seq) and (e.instant, e.seq) < (m.instant, m.seq)) as systems
          from (${middle}) m);
      update audit_runs set client_entries = new.client_entries - second.client_entries,
          system_entries = new.system_entries - second.system_entries
        from (select client_entries, system_entries from audit_runs
          where (instant, seq) > (new.instant, new.seq) order by instant, seq limit 1) second
        where audit_runs.rowid = new.rowid;
    end`,
  ],
  postgresql: [],
};
