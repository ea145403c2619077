import { jobKinds, type JobId, type JobKind, type JobQueue } from '@portico/domain';

export interface JobQueueOptions {
  /** How many jobs of each kind are worked at once. */
  readonly concurrency: Readonly<Record<JobKind, number>>;
  /** How many ids of each kind may wait, 10,000 by default; more are dropped, since the outbox offers them again. */
  readonly waitingMax?: number;
}

/**
 * Works jobs within this process, each kind in the order of its offers. Ignores an id that is waiting or under way
 * already.
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

/** The jobs of one kind. */
const createLane = (concurrency: number, waitingMax: number) => {
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
  // Never within `offer`, so that an offer stays cheap.
  const fillSoon = (): void => {
    if (fillsSoon) return;
    fillsSoon = true;
    setImmediate(fill);
  };

  return {
    offer(ids: readonly JobId[]): void {
      if (stopped) return;
      for (const id of ids) {
        if (waiting.size >= waitingMax) break;
        if (!underWay.has(id)) waiting.add(id);
      }
      if (work !== null && waiting.size > 0) fillSoon();
    },
    start(newWork: (id: JobId) => Promise<void>): void {
      if (stopped) return;
      work = newWork;
      fillSoon();
    },
    async stop(): Promise<void> {
      stopped = true;
      work = null;
      waiting.clear();
      await Promise.allSettled(underWay.values());
    },
  };
};

/** The queue of a process that works no jobs: offered jobs stay in the outbox, where a worker finds them. */
export const createClosedJobQueue = (): JobQueue => ({
  offer: () => undefined,
  start: () => undefined,
  stop: async () => undefined,
});
