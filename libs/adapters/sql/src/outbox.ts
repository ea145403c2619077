import type { Instant, JobId, Outbox } from '@portico/domain';
import { jobColumns, jobOf } from './job-record.ts';
import type { JobRow } from './job-record.ts';
import { columns } from './sql.ts';
import type { Database, Value } from './sql.ts';

export const createSqlOutbox = (database: Database): Outbox => {
  const change = (text: string, parameters: readonly Value[]) =>
    database.transact((transaction) => transaction.run(text, parameters));

  return {
    async due(now, limit) {
      return (await database.reads.all<{ id: JobId }>(selectDue, [now, now, limit])).map(({ id }) => id);
    },

    async claim(id, now, leaseUntil) {
      const row = await database.transact((transaction) =>
        transaction.first<JobRow>(claim, [leaseUntil, id, now, now]),
      );
      return row ? jobOf(row) : null;
    },

    async done(id) {
      await change('delete from jobs where id = ?', [id]);
    },

    async retry(id, dueAt, error) {
      await change(retry, [dueAt, error, id]);
    },

    async giveUp(id, error) {
      await change(giveUp, [error, id]);
    },

    async state(now) {
      const row = await database.reads.first<{ waiting: number; givenUp: number; oldestDueAt: Instant | null }>(
        selectState,
        [now],
      );
      return row ?? { waiting: 0, givenUp: 0, oldestDueAt: null };
    },
  };
};

const isFree = 'given_up = false and due_at <= ? and (leased_until is null or leased_until <= ?)';
const selectDue = `select id from jobs where ${isFree} order by due_at, id limit ?`;
const claim = `update jobs set leased_until = ? where id = ? and ${isFree} returning ${columns('jobs', jobColumns)}`;
const retry = `update jobs set attempts = attempts + 1, due_at = ?, leased_until = null, error = ?
  where id = ? and given_up = false`;
/** An empty text is in the place of the secret. */
const giveUp = `update jobs set given_up = true, leased_until = null, error = ?,
  sealed = case when sealed is null then null else '' end where id = ?`;
const selectState = `select
  (select count(*) from jobs where given_up = false) as "waiting",
  (select count(*) from jobs where given_up = true) as "givenUp",
  (select min(due_at) from jobs where given_up = false and due_at <= ?) as "oldestDueAt"`;
