import type { Log } from '@portico/dependencies';
import type { JobKind, JobQueue, Probe } from '@portico/domain';
import { JobProducer } from './job-producer.ts';
import { startJobWorker, type JobWorker } from './job-worker.ts';

export interface BullmqJobQueueOptions {
  /** `redis://` or `rediss://`, with the password if there is one. */
  readonly url: string;
  /** The id of the installation: only its own processes work its jobs. */
  readonly installation: string;
  /** How many jobs of each kind this process works at once. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  /** How many jobs of a kind all processes together work at once; absent kinds have no limit. */
  readonly togetherAtOnce?: Partial<Readonly<Record<JobKind, number>>>;
  /** Whether this process works jobs; otherwise it only hands them to those that do. */
  readonly work: boolean;
  /** Works jobs in this process while Redis takes none; one that works none leaves them to others. */
  readonly fallback: JobQueue;
  readonly log: Log;
}

export interface BullmqJobQueue extends JobQueue {
  /** Not essential: the fallback works jobs. Fails if Redis does not take a job's commands within 2 s. */
  readonly probe: Probe;
}

/**
 * Hands job ids to any free process, through BullMQ on Redis. Redis holds only ids, and may lose them: the outbox
 * offers lost or missing ones again, and decides when to retry a job and when to give it up. While Redis takes none,
 * each process that works jobs works what it is offered: the claim decides who does a job that several have.
 */
export const createBullmqJobQueue = (options: BullmqJobQueueOptions): BullmqJobQueue => {
  const { url, installation, concurrency, work, fallback, log } = options;
  const producer = new JobProducer(options);
  let worker: JobWorker | null = null;
  let stopping: Promise<void> | null = null;

  const stop = async (): Promise<void> => {
    await Promise.all([producer.close(), worker?.close(), fallback.stop()]);
  };
  return {
    probe: producer.probe,
    offer: (kind, ids) => producer.offer(kind, ids),
    start(newWork) {
      if (!work || worker !== null || stopping !== null) return;
      const failed = () => producer.doubt();
      worker = startJobWorker({ url, installation, concurrency, work: newWork, failed, log });
      fallback.start(newWork);
    },
    stop: () => (stopping ??= stop()),
  };
};
