import type { DeadLetters, Instant, JobId, RequeueOutcome } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { deadLetterColumns, deadLetterOf, type DeadLetterRow } from './job-record.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns } from './table.ts';

export const createSqlDeadLetters = (database: SqlDatabase): DeadLetters => ({
  async list(limit, after = null) {
    const rows = after
      ? await database.reads.all<DeadLetterRow>(selectAfter, [after.since, after.id, limit])
      : await database.reads.all<DeadLetterRow>(select, [limit]);
    return rows.map(deadLetterOf);
  },

  requeue: (id, now, effects) =>
    database.transact(async (transaction) => {
      const outcome = await requeueJob(transaction, id, now);
      if (outcome === 'requeued') await writeEffects(transaction, effects);
      return outcome;
    }, effects.deadline),

  requeueEach: (ids, now, decide) =>
    database.transact(async (transaction) => {
      const outcomes = new Map<JobId, RequeueOutcome>();
      for (const id of ids) outcomes.set(id, await requeueJob(transaction, id, now));
      const requeuedIds = [...outcomes].flatMap(([id, outcome]) => (outcome === 'requeued' ? [id] : []));
      if (requeuedIds.length > 0) await writeEffects(transaction, decide(requeuedIds));
      return outcomes;
    }),

  requeueAll: (now, decide) =>
    database.transact(async (transaction) => {
      const count = await transaction.run(requeue, [now]);
      if (count > 0) await writeEffects(transaction, decide(count));
      return count;
    }),

  discard: (id, effects) =>
    database.transact(async (transaction) => {
      if ((await transaction.run(discard, [id])) === 0) return false;
      await writeEffects(transaction, effects);
      return true;
    }, effects.deadline),
});

const requeueJob = async (transaction: Sql, id: JobId, now: Instant): Promise<RequeueOutcome> => {
  const job = await transaction.first<Pick<DeadLetterRow, 'sealed'>>(selectSealed, [id]);
  if (!job) return 'no dead letter';
  if (job.sealed !== null) return 'secret removed';
  await transaction.run(`${requeue} and id = ?`, [now, id]);
  return 'requeued';
};

const selectDeadLetters = (condition: string): string => `select ${buildColumns('j', deadLetterColumns)},
  p.email as "profileEmail", c.name as "collectionName" from jobs j
  left join profiles p on p.id = j.profile_id left join collections c on c.id = j.collection_id
  where j.given_up = true ${condition} order by j.due_at desc, j.id desc limit ?`;
const select = selectDeadLetters('');
const selectAfter = selectDeadLetters('and (j.due_at, j.id) < (?, ?)');
const selectSealed = 'select sealed from jobs where id = ? and given_up = true';
const requeue = `update jobs set given_up = false, due_at = ?, attempts = 0, error = null
  where given_up = true and sealed is null`;
const discard = 'delete from jobs where id = ? and given_up = true';
