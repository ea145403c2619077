import type { Log } from '@portico/dependencies';
import type { JobKind, JobQueue, Probe } from '@portico/domain';
import { JobProducer } from './job-producer.ts';
import { startJobWorker, type JobWorker } from './job-worker.ts';

export interface BullmqJobQueueOptions {
  /** `redis://` or `rediss://`, with the password where there is one. */
  readonly url: string;
  /** How many jobs of each kind this process works at once. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  /** How many jobs of a kind all processes together work at once; of those that are not named it is not bounded. */
  readonly togetherAtOnce?: Partial<Readonly<Record<JobKind, number>>>;
  /** Whether this process works jobs; where it does not, it hands them to those that do. */
  readonly work: boolean;
  readonly log: Log;
}

export interface BullmqJobQueue extends JobQueue {
  /** Not essential: jobs wait in the outbox. Fails where Redis answers no PING within 2 s. */
  readonly probe: Probe;
}

/**
 * Hands the ids of jobs to whichever process is free, through BullMQ on Redis. Redis holds ids and nothing else, and is not
 * relied upon: what it loses or never got is offered again by the outbox, which also owns when a job is tried again and when it
 * is given up.
 */
export const createBullmqJobQueue = (options: BullmqJobQueueOptions): BullmqJobQueue => {
  const { url, concurrency, togetherAtOnce = {}, work, log } = options;
  const producer = new JobProducer(url, togetherAtOnce, log);
  let worker: JobWorker | null = null;
  let stopping: Promise<void> | null = null;

  const stop = async (): Promise<void> => {
    await Promise.all([producer.close(), worker?.close()]);
  };
  return {
    probe: producer.probe,
    offer: (kind, ids) => producer.offer(kind, ids),
    start(newWork) {
      if (!work || worker !== null || stopping !== null) return;
      worker = startJobWorker({ url, concurrency, work: newWork, log });
    },
    stop: () => (stopping ??= stop()),
  };
};
