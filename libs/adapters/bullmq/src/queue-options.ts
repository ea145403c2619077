import type { QueueOptions } from 'bullmq';

export const jobName = 'job';

/**
 * The prefix of an installation's queues in Redis: one queue per kind of job, with its name. In braces, so that a
 * cluster keeps all of their keys in one slot. The 1 is the version of what they hold: jobs that are an id without data,
 * in the layout of this major version of BullMQ. Another one gets another number, so that two versions can run side by
 * side.
 */
export const queuePrefix = (installation: string): string => `{portico:${installation}}:jobs:1`;

export const queueOptions = {
  // A finished job that stayed would block new offers of its id, so it is removed, whatever its outcome. Retries are
  // the
  // outbox's.
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
} satisfies Partial<QueueOptions>;
