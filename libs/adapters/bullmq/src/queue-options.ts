import type { QueueOptions } from 'bullmq';

export const jobName = 'job';

/**
 * Returns the prefix of an installation's queues in Redis. There is one queue per kind of job, named after the kind.
 * The braces keep all keys in one cluster slot. The 1 is the version of the stored data: jobs that consist of an id
 * without data, in the layout of this major version of BullMQ. A change to the stored data requires a new number, so
 * that two versions can run simultaneously.
 */
export const queuePrefix = (installation: string): string => `{portico:${installation}}:jobs:1`;

export const queueOptions = {
  // A finished job would block new offers of its id, so it is removed whether it succeeded or failed. The outbox
  // handles retries.
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
} satisfies Partial<QueueOptions>;
