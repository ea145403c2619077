import type { QueueOptions } from 'bullmq';

export const jobName = 'job';

/**
 * Returns the prefix of an installation's queues in Redis: one queue per kind of job, named after it. The braces keep
 * all keys in one slot of a cluster. The 1 is the version of the content: jobs that consist of an id without data, in
 * the layout of this major version of BullMQ. A different content gets another number, so that two versions can run
 * simultaneously.
 */
export const queuePrefix = (installation: string): string => `{portico:${installation}}:jobs:1`;

export const queueOptions = {
  // A finished job would block new offers of its id, so it is removed, succeeded or failed. The outbox handles retries.
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
} satisfies Partial<QueueOptions>;
