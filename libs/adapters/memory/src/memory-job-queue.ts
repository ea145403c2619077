import type { JobId, JobQueue } from '@portico/domain';

export interface MemoryJobQueue extends JobQueue {
  /** The ids that were offered and have not been handed over, in the order of their offers. */
  readonly waiting: readonly JobId[];
  /** Fulfilled once all that was offered is worked; at once where nothing works it. */
  idle(): Promise<void>;
}

/** Hands jobs over one at a time, in the order of their offers. */
export const createMemoryJobQueue = (): MemoryJobQueue => {
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
    offer(ids) {
      waiting = [...new Set([...waiting, ...ids])];
      workOn();
    },
    start(newWork) {
      work = newWork;
      workOn();
    },
    async stop() {
      work = null;
      await underWay;
    },
    async idle() {
      await underWay;
    },
  };
};
