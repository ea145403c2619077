import type { JobId, JobQueue } from '@portico/domain';

export interface JobQueueOptions {
  /** How many jobs are worked at once. */
  readonly concurrency: number;
  /** How many ids may wait; beyond it they are dropped, since the outbox offers them again. */
  readonly waitingMax?: number;
}

/**
 * Works jobs within this process, in the order of their offers. An id that waits already, or is under way, is not taken
 * a second time.
 */
export const createInProcessJobQueue = ({ concurrency, waitingMax = 10_000 }: JobQueueOptions): JobQueue => {
  const waiting = new Set<JobId>();
  const underWay = new Map<JobId, Promise<void>>();
  let work: ((id: JobId) => Promise<void>) | null = null;
  let stopped = false;
  let fillsSoon = false;

  const fill = (): void => {
    fillsSoon = false;
    for (const id of waiting) {
      if (work === null || underWay.size >= concurrency) return;
      waiting.delete(id);
      underWay.set(id, settle(id, work(id)));
    }
  };
  const settle = async (id: JobId, working: Promise<void>): Promise<void> => {
    try {
      await working;
    } finally {
      underWay.delete(id);
      fill();
    }
  };
  // Never within the offer: whoever offers pays for nothing but the offer.
  const fillSoon = (): void => {
    if (fillsSoon) return;
    fillsSoon = true;
    setImmediate(fill);
  };

  return {
    offer(ids) {
      if (stopped) return;
      for (const id of ids) {
        if (waiting.size >= waitingMax) break;
        if (!underWay.has(id)) waiting.add(id);
      }
      if (work !== null && waiting.size > 0) fillSoon();
    },
    start(newWork) {
      if (stopped) return;
      work = newWork;
      fillSoon();
    },
    async stop() {
      stopped = true;
      work = null;
      waiting.clear();
      await Promise.allSettled(underWay.values());
    },
  };
};

/** The queue of a process that works no jobs: what is offered stays in the outbox, where a worker finds it. */
export const createClosedJobQueue = (): JobQueue => ({
  offer: () => undefined,
  start: () => undefined,
  stop: async () => undefined,
});
