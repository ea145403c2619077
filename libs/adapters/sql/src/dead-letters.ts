import type { DeadLetters } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { deadLetterColumns, deadLetterOf, type DeadLetterRow } from './job-record.ts';
import type { SqlDatabase } from './sql.ts';
import { columns } from './table.ts';

export const createSqlDeadLetters = (database: SqlDatabase): DeadLetters => ({
  async list(limit) {
    return (await database.reads.all<DeadLetterRow>(select, [limit])).map(deadLetterOf);
  },

  requeue: (id, now, effects) =>
    database.transact(async (transaction) => {
      const job = await transaction.first<Pick<DeadLetterRow, 'sealed'>>(selectSealed, [id]);
      if (!job) return 'no dead letter';
      if (job.sealed !== null) return 'secret removed';
      await transaction.run(`${requeue} and id = ?`, [now, id]);
      await writeEffects(transaction, effects);
      return 'requeued';
    }, effects.deadline),

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

const select = `select ${columns('j', deadLetterColumns)} from jobs j where j.given_up = true
  order by j.due_at desc, j.id desc limit ?`;
const selectSealed = 'select sealed from jobs where id = ? and given_up = true';
const requeue = `update jobs set given_up = false, due_at = ?, attempts = 0, error = null
  where given_up = true and sealed is null`;
const discard = 'delete from jobs where id = ? and given_up = true';
