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
  if (!(concurrency >= 1)) throw new RangeError(`The concurrency must be at least 1, not ${concurrency}`);
  let runningCount = 0;
  const waitingTasks: (() => void)[] = [];
  const waitForSlot = (registerCancel?: RegisterCancel): Promise<void> =>
    new Promise((resolve, reject) => {
      const admit = (): void => {
        unregister?.();
        resolve();
      };
      waitingTasks.push(admit);
      const unregister = registerCancel?.((error) => {
        waitingTasks.splice(waitingTasks.indexOf(admit), 1);
        reject(error);
      });
    });
  return async (task, registerCancel) => {
    if (runningCount < concurrency) runningCount++;
    else if (waitingTasks.length < waitingMax) await waitForSlot(registerCancel);
    else throw createOverflowError(runningCount, waitingTasks.length);
    try {
      return await task();
    } finally {
      // The slot passes directly to the task that has waited longest.
      const startNext = waitingTasks.shift();
      if (startNext) startNext();
      else runningCount--;
    }
  };
};
