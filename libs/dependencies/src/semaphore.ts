/**
 * Runs a task once it is its turn. `leave` is told how to give up the place of a task that waits, with an error, and returns how to
 * take that back. (Cockatiel's bulkhead drops an aborted task only when its turn comes; until then it takes the place of another.)
 */
export type Semaphore = <Result>(task: () => Promise<Result>, leave?: Leave) => Promise<Result>;
export type Leave = (giveUp: (error: Error) => void) => (() => void) | undefined;

export interface SemaphoreOptions {
  /** How many tasks run at once, 1 or more. */
  readonly concurrency: number;
  /** How many wait at most; a task beyond that is refused before it begins. */
  readonly waitingMax: number;
  /** Makes the error of that refusal. */
  readonly overfull: (running: number, waiting: number) => Error;
}

export const createSemaphore = ({ concurrency, waitingMax, overfull }: SemaphoreOptions): Semaphore => {
  if (!(concurrency >= 1)) throw new RangeError(`At least one task must run at once, not ${concurrency}`);
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = (leave?: Leave): Promise<void> =>
    new Promise((resolve, reject) => {
      const comes = (): void => {
        forget?.();
        resolve();
      };
      waiting.push(comes);
      const forget = leave?.((error) => {
        waiting.splice(waiting.indexOf(comes), 1);
        reject(error);
      });
    });
  return async (task, leave) => {
    if (running < concurrency) running++;
    else if (waiting.length < waitingMax) await turn(leave);
    else throw overfull(running, waiting.length);
    try {
      return await task();
    } finally {
      // The place goes to the task that has waited longest, without becoming free in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
