import { jobKinds, type JobId, type JobQueue } from '@portico/domain';

export interface MemoryJobQueue extends JobQueue {
  /** The ids that were offered and have not been handed over: kind after kind, each in the order of its offers. */
  readonly waiting: readonly JobId[];
  /** Fulfilled once all that was offered is worked; at once where nothing works it. */
  idle(): Promise<void>;
}

/** Hands jobs over one of each kind at a time, in the order of their offers. */
export const createMemoryJobQueue = (): MemoryJobQueue => {
  const lanes = new Map(jobKinds.map((kind) => [kind, createLane()]));
  const all = () => [...lanes.values()];
  const idle = async () => {
    await Promise.all(all().map((lane) => lane.idle()));
  };
  return {
    get waiting() {
      return all().flatMap((lane) => lane.waiting);
    },
    offer: (kind, ids) => lanes.get(kind)?.offer(ids),
    start: (work) => lanes.forEach((lane) => lane.workBy(work)),
    async stop() {
      lanes.forEach((lane) => lane.workBy(null));
      await idle();
    },
    idle,
  };
};

const createLane = () => {
  let waiting: readonly JobId[] = [];
  let work: ((id: JobId) => Promise<void>) | null = null;
  let underWay = Promise.resolve();

  const workOff = async (): Promise<void> => {
    for (;;) {
      const [id, ...rest] = waiting;
      if (id === undefined || work === null) return;
      waiting = rest;
      await work(id);
    }
  };
  const workOn = (): void => {
    underWay = underWay.then(workOff);
  };

  return {
    get waiting() {
      return waiting;
    },
    offer(ids: readonly JobId[]): void {
      waiting = [...new Set([...waiting, ...ids])];
      workOn();
    },
    workBy(newWork: typeof work): void {
      work = newWork;
      workOn();
    },
    idle: () => underWay,
  };
};
