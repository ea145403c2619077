import { Worker } from 'bullmq';
import { settlesWithin, type Log } from '@portico/dependencies';
import { jobKinds, type JobId, type JobKind } from '@portico/domain';
import { reasonOf, WorkerConnection } from './connections.ts';
import { queuePrefix } from './queue-options.ts';

/** How long notifying Redis may take when closing. */
const closeMs = 2_000;
const warnIntervalMs = 60_000;

/** Processes the jobs in Redis. */
export interface JobWorker {
  /** Accepts no more jobs and waits for the running ones. */
  close(): Promise<void>;
}

export interface JobWorkerOptions {
  readonly url: string;
  readonly installation: string;
  /** The maximum number of concurrent jobs of each kind. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  readonly work: (id: JobId) => Promise<void>;
  /** Called when Redis refuses to deliver jobs. */
  readonly onFailure: () => void;
  readonly log: Log;
}

export const startJobWorker = (options: JobWorkerOptions): JobWorker => {
  const { url, installation, concurrency, work, onFailure, log } = options;
  const connection = new WorkerConnection(url);
  const running = new Set<Promise<void>>();
  let closing: Promise<void> | null = null;

  const process = async (id: string | undefined): Promise<void> => {
    // A job received while closing is dropped here. The outbox offers it to another process.
    if (closing !== null || id === undefined) return;
    const job = work(id as JobId);
    running.add(job);
    try {
      await job;
    } finally {
      running.delete(job);
    }
  };
  const workerOf = (kind: JobKind): Worker =>
    new Worker(kind, ({ id }) => process(id), {
      prefix: queuePrefix(installation),
      connection,
      concurrency: concurrency[kind],
      skipVersionCheck: true,
      // The duration of a job's lease, which is never renewed. The jobs of a dead worker are delivered to other workers
      // soon after it expires.
      lockDuration: 20_000,
      skipLockRenewal: true,
      stalledInterval: 5_000,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      drainDelay: 5,
      runRetryDelay: 1_000,
    });
  const workers = jobKinds.map(workerOf);
  // The producer logs lost connections. The outbox repairs any other failure.
  let quietUntil = 0;
  const reportError = (error: Error): void => {
    // A copy of the connection may be lost first. The producer also logs failed system calls.
    const isLoss = connection.status !== 'ready' || 'syscall' in error;
    if (closing !== null || isLoss) return;
    onFailure();
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + warnIntervalMs;
    log.warn({}, `The job queue failed; the outbox offers its jobs again: ${reasonOf(error)}`);
  };
  for (const worker of workers) worker.on('error', reportError);
  connection.on('error', () => undefined);

  const close = async (): Promise<void> => {
    // An immediate pause stops the timers that would outlive a close without Redis.
    await Promise.all(workers.map((worker) => worker.pause(true)));
    const closed = Promise.all(workers.map((worker) => worker.close()));
    await Promise.allSettled(running);
    await settlesWithin(closeMs, closed);
    connection.disconnectAll();
  };
  return {
    close: () => (closing ??= close()),
  };
};
