/** Lets so many tasks run at once; the others wait their turn. */
export type Turnstile = <Result>(task: () => Promise<Result>) => Promise<Result>;

export const createTurnstile = (concurrency: number): Turnstile => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    // A place that is given up goes to the one who waits longest without becoming free in between.
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
