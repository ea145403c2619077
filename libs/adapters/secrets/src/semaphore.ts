import { PorticoError, type Deadline } from '@portico/domain';

/**
 * Lets so many tasks run at once; the others wait their turn. One whose deadline expires before its turn leaves the queue, and is
 * refused by `timed_out`: at once, so that its place is free. (Cockatiel's bulkhead drops one whose signal is aborted only when
 * its turn comes, and until then it takes the place of another.)
 */
export type Semaphore = <Result>(task: () => Promise<Result>, deadline?: Deadline | null) => Promise<Result>;

export interface SemaphoreOptions {
  /** How many tasks run at once, 1 or more. */
  readonly concurrency: number;
  /** How many wait at most; a task beyond that is refused by `internal` before it begins. */
  readonly waitingMax: number;
}

export const createSemaphore = ({ concurrency, waitingMax }: SemaphoreOptions): Semaphore => {
  if (!(concurrency >= 1)) throw new RangeError(`At least one task must run at once, not ${concurrency}`);
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task, deadline = null) => {
    if (deadline?.expired) throw new PorticoError('timed_out');
    if (running < concurrency) running++;
    else if (waiting.length < waitingMax) await turnIn(waiting, deadline);
    else throw overfull(running, waiting.length);
    try {
      return await task();
    } finally {
      // A place that is given up goes to the one who waits longest without becoming free in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};

const turnIn = (waiting: (() => void)[], deadline: Deadline | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const comes = (): void => {
      forget?.();
      resolve();
    };
    waiting.push(comes);
    const forget = deadline?.onExpired(() => {
      waiting.splice(waiting.indexOf(comes), 1);
      reject(new PorticoError('timed_out'));
    });
  });

const overfull = (running: number, waiting: number): PorticoError =>
  new PorticoError('internal', {
    cause: new Error(`${running} computations run and ${waiting} wait for their turn: no more are taken`),
  });
