import { jobKinds, type JobId, type JobKind, type JobQueue } from '@portico/domain';

export interface JobQueueOptions {
  /** The number of jobs of each kind that run concurrently. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  /**
   * Maximum number of waiting ids of each kind, 10,000 by default. Further ids are dropped, since the outbox will offer
   * them again.
   */
  readonly waitingMax?: number;
}

/**
 * Creates a queue that runs jobs in this process, each kind in the order in which its jobs are offered. An id that is
 * already waiting or running is ignored.
 */
export const createInProcessJobQueue = ({ concurrency, waitingMax = 10_000 }: JobQueueOptions): JobQueue => {
  const lanes = new Map(jobKinds.map((kind) => [kind, createLane(concurrency[kind], waitingMax)]));
  return {
    offer: (kind, ids) => lanes.get(kind)?.offer(ids),
    start: (work) => lanes.forEach((lane) => lane.start(work)),
    stop: async () => {
      await Promise.all(Array.from(lanes.values(), (lane) => lane.stop()));
    },
  };
};

/** Creates a queue for the jobs of one kind. */
const createLane = (concurrency: number, waitingMax: number) => {
  const waitingIds = new Set<JobId>();
  const runningJobs = new Map<JobId, Promise<void>>();
  let work: ((id: JobId) => Promise<void>) | null = null;
  let isStopped = false;
  let isFillScheduled = false;

  const fill = (): void => {
    isFillScheduled = false;
    for (const id of waitingIds) {
      if (work === null || runningJobs.size >= concurrency) return;
      waitingIds.delete(id);
      runningJobs.set(id, settle(id, work(id)));
    }
  };
  const settle = async (id: JobId, job: Promise<void>): Promise<void> => {
    try {
      await job;
    } finally {
      runningJobs.delete(id);
      fill();
    }
  };
  // Jobs never start within `offer`, so that offering is cheap.
  const scheduleFill = (): void => {
    if (isFillScheduled) return;
    isFillScheduled = true;
    setImmediate(fill);
  };

  return {
    offer(ids: readonly JobId[]): void {
      if (isStopped) return;
      for (const id of ids) {
        if (waitingIds.size >= waitingMax) break;
        if (!runningJobs.has(id)) waitingIds.add(id);
      }
      if (work !== null && waitingIds.size > 0) scheduleFill();
    },
    start(newWork: (id: JobId) => Promise<void>): void {
      if (isStopped) return;
      work = newWork;
      scheduleFill();
    },
    async stop(): Promise<void> {
      isStopped = true;
      work = null;
      waitingIds.clear();
      await Promise.allSettled(runningJobs.values());
    },
  };
};

/** Creates the queue of a process that runs no jobs: offered jobs remain in the outbox, where a worker finds them. */
export const createClosedJobQueue = (): JobQueue => ({
  offer: () => undefined,
  start: () => undefined,
  stop: async () => undefined,
});
