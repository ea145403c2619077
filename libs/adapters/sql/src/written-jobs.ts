import type { NewJob, Outbox } from '@portico/domain';
import type { Sql, SqlDatabase } from './sql.ts';

/** The jobs that each open transaction has written so far. */
const jobsByTransaction = new WeakMap<Sql, NewJob[]>();

/** Records jobs that were written in this transaction. */
export const recordWrittenJobs = (transaction: Sql, jobs: readonly NewJob[]): void => {
  jobsByTransaction.get(transaction)?.push(...jobs);
};

/** Wraps a database to report the jobs that each of its transactions has written, once they are durable. */
export const withJobNotifications = (
  database: SqlDatabase,
): { readonly database: SqlDatabase; readonly onWritten: Outbox['onWritten'] } => {
  let notify: Parameters<Outbox['onWritten']>[0] = () => undefined;
  return {
    onWritten: (listener) => {
      notify = listener;
    },
    database: {
      reads: database.reads,
      withSnapshot: (work) => database.withSnapshot(work),
      async transact(work, deadline) {
        let writtenJobs: NewJob[] = [];
        const result = await database.transact((transaction) => {
          // Reset for each attempt, because the work may run more than once.
          jobsByTransaction.set(transaction, (writtenJobs = []));
          return work(transaction);
        }, deadline);
        if (writtenJobs.length > 0) notify(writtenJobs);
        return result;
      },
      write: (work) => database.write(work),
      disableIndex: (condition) => database.disableIndex(condition),
      findViolatedKey: (error) => database.findViolatedKey(error),
    },
  };
};
