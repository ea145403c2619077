import { Worker } from 'bullmq';
import { settlesWithin, type Log } from '@portico/dependencies';
import { jobKinds, type JobId, type JobKind } from '@portico/domain';
import { reasonOf, WorkerConnection } from './connections.ts';
import { queuePrefix } from './queue-options.ts';

/** The timeout for notifying Redis when closing. */
const closeMs = 2_000;
const warnIntervalMs = 60_000;

/** A worker that processes the jobs in Redis. */
export interface JobWorker {
  /** Stops accepting jobs and waits for the running ones. */
  close(): Promise<void>;
}

export interface JobWorkerOptions {
  readonly url: string;
  readonly installation: string;
  /** The maximum number of concurrent jobs of each kind. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  readonly processJob: (id: JobId) => Promise<void>;
  /** Called when Redis does not deliver jobs. */
  readonly onFailure: () => void;
  readonly log: Log;
}

export const startJobWorker = (options: JobWorkerOptions): JobWorker => {
  const { url, installation, concurrency, processJob, onFailure, log } = options;
  const connection = new WorkerConnection(url);
  const runningJobs = new Set<Promise<void>>();
  let closing: Promise<void> | null = null;

  const process = async (id: string | undefined): Promise<void> => {
    // A job received while closing is dropped here. The outbox offers it to a different process.
    if (closing !== null || id === undefined) return;
    const job = processJob(id as JobId);
    runningJobs.add(job);
    try {
      await job;
    } finally {
      runningJobs.delete(job);
    }
  };
  const workerOf = (kind: JobKind): Worker =>
    new Worker(kind, ({ id }) => process(id), {
      prefix: queuePrefix(installation),
      connection,
      concurrency: concurrency[kind],
      skipVersionCheck: true,
      // The duration of a job's lease, which is never renewed. A dead worker's jobs are delivered to other workers soon
      // after their leases expire.
      lockDuration: 20_000,
      skipLockRenewal: true,
      stalledInterval: 5_000,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      drainDelay: 5,
      runRetryDelay: 1_000,
    });
  const workers = jobKinds.map(workerOf);
  // The producer logs lost connections. The outbox recovers from any other failure.
  let nextWarningAt = 0;
  const reportError = (error: Error): void => {
    // A duplicate of the connection may be lost before this connection is. The producer also logs failed system calls.
    const isLoss = connection.status !== 'ready' || 'syscall' in error;
    if (closing !== null || isLoss) return;
    onFailure();
    if (performance.now() < nextWarningAt) return;
    nextWarningAt = performance.now() + warnIntervalMs;
    log.warn({}, `The job queue failed; the outbox offers its jobs again: ${reasonOf(error)}`);
  };
  for (const worker of workers) worker.on('error', reportError);
  connection.on('error', () => undefined);

  const close = async (): Promise<void> => {
    // Pausing immediately stops timers that would keep running if the worker closed while Redis is unavailable.
    await Promise.all(workers.map((worker) => worker.pause(true)));
    const workersClosed = Promise.all(workers.map((worker) => worker.close()));
    await Promise.allSettled(runningJobs);
    await settlesWithin(closeMs, workersClosed);
    connection.disconnectAll();
  };
  return {
    close: () => (closing ??= close()),
  };
};
