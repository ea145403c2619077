import type { QueueOptions } from 'bullmq';

export const jobName = 'job';

/** The options of the queues in Redis: one queue per kind of job, with its name. */
export const queueOptions = {
  /** In braces, so that a cluster keeps all keys of the queues in one slot. */
  prefix: '{portico}',
  // A finished job that stayed would block new offers of its id, so it is removed, whatever its outcome. Retries are
  // the
  // outbox's.
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
} satisfies Partial<QueueOptions>;
