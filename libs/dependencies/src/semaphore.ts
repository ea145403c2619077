/**
 * Runs a task as soon as a slot is free. `registerCancel` receives a function that fails the waiting task, and returns
 * a function that undoes this registration. (Cockatiel's bulkhead drops an aborted task only when the task would run;
 * until then, the task occupies a slot.)
 */
export type Semaphore = <Result>(task: () => Promise<Result>, registerCancel?: RegisterCancel) => Promise<Result>;
export type RegisterCancel = (cancel: (error: Error) => void) => (() => void) | undefined;

export interface SemaphoreOptions {
  /** The maximum number of simultaneous tasks, at least 1. */
  readonly concurrency: number;
  /** The maximum number of waiting tasks. Further tasks are rejected before they start. */
  readonly waitingMax: number;
  /** Creates the error that further tasks are rejected with. */
  readonly createOverflowError: (running: number, waiting: number) => Error;
}

export const createSemaphore = ({ concurrency, waitingMax, createOverflowError }: SemaphoreOptions): Semaphore => {
  if (!(concurrency >= 1)) throw new RangeError(`At least one task must run at once, not ${concurrency}`);
  let running = 0;
  const waiting: (() => void)[] = [];
  const waitForSlot = (registerCancel?: RegisterCancel): Promise<void> =>
    new Promise((resolve, reject) => {
      const admit = (): void => {
        unregister?.();
        resolve();
      };
      waiting.push(admit);
      const unregister = registerCancel?.((error) => {
        waiting.splice(waiting.indexOf(admit), 1);
        reject(error);
      });
    });
  return async (task, registerCancel) => {
    if (running < concurrency) running++;
    else if (waiting.length < waitingMax) await waitForSlot(registerCancel);
    else throw createOverflowError(running, waiting.length);
    try {
      return await task();
    } finally {
      // The slot passes directly to the task that has waited longest.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
