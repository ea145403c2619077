import { PorticoError } from '@portico/domain';

/** Lets so many tasks run at once; the others wait their turn. */
export type Turnstile = <Result>(task: () => Promise<Result>) => Promise<Result>;

export interface TurnstileOptions {
  /** How many tasks run at once, 1 or more. */
  readonly concurrency: number;
  /** How many wait at most; a task beyond that is refused by `internal` before it begins. */
  readonly waitingMax: number;
}

export const createTurnstile = ({ concurrency, waitingMax }: TurnstileOptions): Turnstile => {
  if (!(concurrency >= 1)) throw new RangeError(`At least one task must run at once, not ${concurrency}`);
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running < concurrency) running++;
    else if (waiting.length < waitingMax) await new Promise<void>((resolve) => waiting.push(resolve));
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

const overfull = (running: number, waiting: number): PorticoError =>
  new PorticoError('internal', {
    cause: new Error(`${running} computations run and ${waiting} wait for their turn: no more are taken`),
  });
