import { Worker } from 'bullmq';
import { settlesWithin, type Log } from '@portico/dependencies';
import { jobKinds, type JobId, type JobKind } from '@portico/domain';
import { reasonOf, WorkerConnection } from './connections.ts';
import { queuePrefix } from './queue-options.ts';

/** How long closing may take to tell Redis. */
const closeMs = 2_000;
const warnIntervalMs = 60_000;

/** Works the jobs in Redis. */
export interface JobWorker {
  /** Takes no more jobs and waits for those under way. */
  close(): Promise<void>;
}

export interface JobWorkerOptions {
  readonly url: string;
  readonly installation: string;
  /** How many jobs of each kind are worked at once. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  readonly work: (id: JobId) => Promise<void>;
  /** Called when Redis refuses to hand over jobs. */
  readonly failed: () => void;
  readonly log: Log;
}

export const startJobWorker = (options: JobWorkerOptions): JobWorker => {
  const { url, installation, concurrency, work, failed, log } = options;
  const connection = new WorkerConnection(url);
  const underWay = new Set<Promise<void>>();
  let closing: Promise<void> | null = null;

  const process = async (id: string | undefined): Promise<void> => {
    // A job taken while closing is dropped here; the outbox offers it to another process.
    if (closing !== null || id === undefined) return;
    const working = work(id as JobId);
    underWay.add(working);
    try {
      await working;
    } finally {
      underWay.delete(working);
    }
  };
  const workerOf = (kind: JobKind): Worker =>
    new Worker(kind, ({ id }) => process(id), {
      prefix: queuePrefix(installation),
      connection,
      concurrency: concurrency[kind],
      skipVersionCheck: true,
      // The duration of a job's lease, never renewed: until then no other worker could work the jobs of a dead one, and
      // soon
      // after they are handed over.
      lockDuration: 20_000,
      skipLockRenewal: true,
      stalledInterval: 5_000,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      drainDelay: 5,
      runRetryDelay: 1_000,
    });
  const workers = jobKinds.map(workerOf);
  // The producer logs lost connections; the outbox repairs any other failure.
  let quietUntil = 0;
  const tell = (error: Error): void => {
    // A copy of the connection may be lost first; the producer logs failed system calls too.
    const isLoss = connection.status !== 'ready' || 'syscall' in error;
    if (closing !== null || isLoss) return;
    failed();
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + warnIntervalMs;
    log.warn({}, `The job queue failed; the outbox offers its jobs again: ${reasonOf(error)}`);
  };
  for (const worker of workers) worker.on('error', tell);
  connection.on('error', () => undefined);

  const end = async (): Promise<void> => {
    // An immediate pause ends the timers that would outlive a close without Redis.
    await Promise.all(workers.map((worker) => worker.pause(true)));
    const closed = Promise.all(workers.map((worker) => worker.close()));
    await Promise.allSettled(underWay);
    await settlesWithin(closeMs, closed);
    connection.disconnectAll();
  };
  return {
    close: () => (closing ??= end()),
  };
};
