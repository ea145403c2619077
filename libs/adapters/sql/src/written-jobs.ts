import type { NewJob, Outbox } from '@portico/domain';
import type { Sql, SqlDatabase } from './sql.ts';

/** The jobs that each open transaction has written so far. */
const open = new WeakMap<Sql, NewJob[]>();

/** Notes jobs that were written in this transaction. */
export const noteWritten = (transaction: Sql, jobs: readonly NewJob[]): void => {
  open.get(transaction)?.push(...jobs);
};

/** A database that tells the jobs of each of its transactions, once they are durable. */
export const tellingOfJobs = (
  database: SqlDatabase,
): { readonly database: SqlDatabase; readonly whenWritten: Outbox['whenWritten'] } => {
  let told: Parameters<Outbox['whenWritten']>[0] = () => undefined;
  return {
    whenWritten: (tell) => {
      told = tell;
    },
    database: {
      reads: database.reads,
      snapshot: (work) => database.snapshot(work),
      async transact(work, deadline) {
        let written: NewJob[] = [];
        const answer = await database.transact((transaction) => {
          // Anew each time, because the work may run more than once.
          open.set(transaction, (written = []));
          return work(transaction);
        }, deadline);
        if (written.length > 0) told(written);
        return answer;
      },
      write: (work) => database.write(work),
      unindexed: (condition) => database.unindexed(condition),
      violatedKey: (error) => database.violatedKey(error),
    },
  };
};
