import type { QueueOptions } from 'bullmq';

export const jobName = 'job';

/** Of the queues in Redis: one for each kind of job, by its name. */
export const queueOptions = {
  /** In braces, so that a cluster keeps all keys of the queues in one slot. */
  prefix: '{portico}',
  // A job that stayed behind would keep its id from being offered again; so it goes, whatever came of it. To try again is
  // the outbox's.
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
} satisfies Partial<QueueOptions>;
