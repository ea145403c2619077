/**
 * Runs a task when its turn comes. `leave` receives a function that fails the waiting task, and returns one that undoes
 * this registration. (Cockatiel's bulkhead drops an aborted task only when its turn comes; until then it takes a
 * place.)
 */
export type Semaphore = <Result>(task: () => Promise<Result>, leave?: Leave) => Promise<Result>;
export type Leave = (giveUp: (error: Error) => void) => (() => void) | undefined;

export interface SemaphoreOptions {
  /** How many tasks run at once, at least 1. */
  readonly concurrency: number;
  /** Most waiting tasks; a task beyond that is refused before it begins. */
  readonly waitingMax: number;
  /** Creates the error for that refusal. */
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
      // The place passes directly to the task that has waited longest.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
