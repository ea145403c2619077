import type { Log } from '@portico/dependencies';
import type { JobKind, JobQueue, Probe } from '@portico/domain';
import { JobProducer } from './job-producer.ts';
import { startJobWorker, type JobWorker } from './job-worker.ts';

export interface BullmqJobQueueOptions {
  /** A `redis://` or `rediss://` URL, including the password if there is one. */
  readonly url: string;
  /** The id of the installation. Only processes of this installation process its jobs. */
  readonly installation: string;
  /** The maximum number of concurrent jobs of each kind in this process. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  /**
   * The maximum number of concurrent jobs of each kind in all processes together. A kind that is absent has no limit.
   */
  readonly globalConcurrency?: Partial<Readonly<Record<JobKind, number>>>;
  /** Whether this process processes jobs. Otherwise it only sends them to other processes. */
  readonly isWorker: boolean;
  /** Processes jobs in this process while Redis accepts none. If `isWorker` is false, it ignores them. */
  readonly fallback: JobQueue;
  readonly log: Log;
}

export interface BullmqJobQueue extends JobQueue {
  /**
   * The probe of the queue, not essential because of the fallback. Fails if Redis does not accept the commands that
   * BullMQ uses within 2 s.
   */
  readonly probe: Probe;
}

/**
 * Distributes job ids to free processes, through BullMQ on Redis. Redis stores only ids, and may lose them: the outbox
 * offers lost or missing ids again, and decides when a job is retried and when it becomes a dead letter. While Redis
 * accepts no ids, each process that processes jobs runs the jobs that are offered to it. If several processes receive
 * the same job, the claim determines which of them runs it.
 */
export const createBullmqJobQueue = (options: BullmqJobQueueOptions): BullmqJobQueue => {
  const { url, installation, concurrency, isWorker, fallback, log } = options;
  const producer = new JobProducer(options);
  let worker: JobWorker | null = null;
  let stopping: Promise<void> | null = null;

  const stop = async (): Promise<void> => {
    await Promise.all([producer.close(), worker?.close(), fallback.stop()]);
  };
  return {
    probe: producer.probe,
    offer: (kind, ids) => producer.offer(kind, ids),
    start(processJob) {
      if (!isWorker || worker !== null || stopping !== null) return;
      const onFailure = () => producer.requireVerification();
      worker = startJobWorker({ url, installation, concurrency, processJob, onFailure, log });
      fallback.start(processJob);
    },
    stop: () => (stopping ??= stop()),
  };
};
