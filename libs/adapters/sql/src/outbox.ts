import type { Instant, JobCounts, JobId, Outbox } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { isReserved, jobColumns, jobOf, reservedUntil, type JobRow } from './job-record.ts';
import type { SqlDatabase, Value } from './sql.ts';
import { buildColumns } from './table.ts';

export const createSqlOutbox = (database: SqlDatabase, onWritten: Outbox['onWritten']): Outbox => {
  const change = (text: string, parameters: readonly Value[]) => database.write((sql) => sql.run(text, parameters));

  return {
    onWritten,

    async listDue(kind, now, limit) {
      return (await database.reads.all<{ id: JobId }>(selectDue, [kind, now, now, limit])).map(({ id }) => id);
    },

    async claim(id, now, leaseUntil) {
      const row = await database.write((sql) => sql.first<JobRow>(claim, [leaseUntil, id, now, now]));
      return row ? jobOf(row) : null;
    },

    extend: (id, leaseUntil, newLeaseUntil) =>
      database.write(async (sql) => (await sql.run(extend, [newLeaseUntil, id, leaseUntil])) > 0),

    async complete(id) {
      await change('delete from jobs where id = ?', [id]);
    },

    async retry(id, dueAt, error) {
      await change(retry, [dueAt, error, id]);
    },

    async restNotice({ id, task }, next) {
      await change(restNotice, [next.id, next.dueAt, task.requestCount, id]);
    },

    async deadLetter(id, now, error) {
      await change(deadLetter, [now, error, id]);
    },

    listSealed: () => database.reads.all<{ id: JobId; sealed: string }>(selectSealed, []),

    reseal: (id, before, after, effects) =>
      database.transact(async (transaction) => {
        if ((await transaction.run(reseal, [after, id, before])) === 0) return false;
        await writeEffects(transaction, effects);
        return true;
      }, effects.deadline),

    countByKind: (now) => database.reads.all<JobCounts>(selectCounts, [now, now, now, now, now]),

    async readState(now) {
      const row = await database.reads.first<{ waiting: number; deadLetters: number; oldestDueAt: Instant | null }>(
        selectState,
        [now],
      );
      return row ?? { waiting: 0, deadLetters: 0, oldestDueAt: null };
    },
  };
};

const isFree = `given_up = false and asked > 0 and due_at <= ? and (leased_until is null or leased_until <= ? or leased_until = ${reservedUntil})`;
const selectDue = `select id from jobs where kind = ? and ${isFree} order by due_at, id limit ?`;
const claim = `update jobs set leased_until = ? where id = ? and ${isFree} returning ${buildColumns('jobs', jobColumns)}`;
const extend = 'update jobs set leased_until = ? where id = ? and leased_until = ?';
const retry = `update jobs set attempts = attempts + 1, due_at = ?,
  leased_until = case when ${isReserved} then ${reservedUntil} end, error = ? where id = ? and given_up = false`;
const restNotice = `update jobs set id = ?, due_at = ?, asked = asked - ?, attempts = 0, leased_until = null, error = null
  where id = ? and given_up = false`;
/** Sets `due_at` to the time at which the job became a dead letter, and replaces the secret with an empty string. */
export const deadLetter = `update jobs set given_up = true, due_at = ?, attempts = attempts + 1, leased_until = null, error = ?,
  sealed = case when sealed is null then null else '' end where id = ? and given_up = false`;
const selectSealed = 'select id, sealed from jobs where given_up = false and sealed is not null';
const reseal = 'update jobs set sealed = ? where id = ? and given_up = false and sealed = ?';
const selectState = `select
  (select count(*) from jobs where given_up = false and asked > 0) as "waiting",
  (select count(*) from jobs where given_up = true) as "deadLetters",
  (select min(due_at) from jobs where given_up = false and asked > 0 and due_at <= ?) as "oldestDueAt"`;

const isLeased = `leased_until > ? and leased_until <> ${reservedUntil}`;
const isUnleased = `(leased_until is null or leased_until <= ? or leased_until = ${reservedUntil})`;
const countWhere = (condition: string): string => `count(case when ${condition} then 1 end)`;
const selectCounts = `select kind,
  ${countWhere(`given_up = false and attempts = 0 and ${isUnleased}`)} as "waiting",
  ${countWhere(`given_up = false and ${isLeased}`)} as "running",
  ${countWhere(`given_up = false and attempts > 0 and ${isUnleased}`)} as "retrying",
  min(case when given_up = false and attempts > 0 and ${isUnleased} then due_at end) as "nextRetryAt",
  ${countWhere('given_up = true')} as "deadLetters",
  min(case when given_up = false and due_at <= ? then due_at end) as "oldestDueAt"
  from jobs where given_up = true or asked > 0 group by kind`;
