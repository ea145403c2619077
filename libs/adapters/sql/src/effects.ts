import { type AuditEntry, dayOf, type Effects, type Instant } from '@portico/domain';
import { toEntryRow, insertEntry } from './audit-record.ts';
import { insertJob, toJobRow } from './job-record.ts';
import type { Sql } from './sql.ts';
import { writeEach } from './table.ts';
import { recordWrittenJobs } from './written-jobs.ts';

/**
 * Performs the last step of a change: writes the change's audit entries and jobs, and begins the commit. Throws
 * `timed_out`, which rolls the change back, if the deadline has expired.
 */
export const writeEffects = async (sql: Sql, { entries = [], jobs = [], deadline }: Effects): Promise<void> => {
  await writeEntries(sql, entries);
  if (jobs.length > 0) {
    await writeEach(sql, insertOrCount, jobs.map(toJobRow));
    recordWrittenJobs(sql, jobs);
  }
  deadline?.beginCommit();
};

export const writeEntries = async (sql: Sql, entries: readonly AuditEntry[]): Promise<void> => {
  if (entries.length === 0) return;
  await writeEach(sql, insertEntry, entries.map(toEntryRow));
  await countEntries(sql, entries, 1);
};

/** Updates the entry counts for entries added (1) or removed (-1). */
export const countEntries = async (
  sql: Sql,
  entries: readonly { readonly source: string; readonly instant: Instant }[],
  delta: 1 | -1,
): Promise<void> => {
  const days = new Map<string, [scope: string, day: number, change: number]>();
  const totals = new Map<string, number>();
  for (const { source, instant } of entries) {
    const day = dayOf(instant);
    for (const scope of [source, 'all']) {
      const key = `${scope} ${day}`;
      days.set(key, [scope, day, (days.get(key)?.[2] ?? 0) + delta]);
      totals.set(scope, (totals.get(scope) ?? 0) + delta);
    }
  }
  // Always in the same order, so that concurrent updates of the counts cannot deadlock.
  await sql.runEach(
    addToDay,
    [...days.values()].sort(([a, dayA], [b, dayB]) => (a < b ? -1 : a > b ? 1 : dayA - dayB)),
  );
  if (delta < 0) await sql.runEach(deleteEmptyDays, [[]]);
  await sql.runEach(addToTotal, [...totals].sort());
};

const addToDay = `insert into audit_days (scope, day, entries) values (?, ?, ?)
  on conflict (scope, day) do update set entries = audit_days.entries + excluded.entries`;
const addToTotal = `insert into audit_totals (scope, entries) values (?, ?)
  on conflict (scope) do update set entries = audit_totals.entries + excluded.entries`;
const deleteEmptyDays = 'delete from audit_days where entries = 0';

/**
 * Inserts a job, but if it is a notice and the profile already has one, adds one request to the existing notice's
 * count.
 */
const insertOrCount = {
  ...insertJob,
  text: `${insertJob.text} on conflict (profile_id) where kind = 'mail.notice' do update set asked = jobs.asked + 1`,
};
