import { fulfillsWithin } from '@portico/dependencies';
import { PorticoError, type Deadline } from '@portico/domain';

/** Limits on how long work waits for the lock. Without limits, it waits indefinitely. */
export interface LockLimits {
  readonly waitMs?: number;
  readonly deadline?: Deadline | null;
}

/** Runs one piece of work at a time, first come, first served. */
export class Mutex {
  #lastRun: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /**
   * Runs the work once the lock is acquired. Rejects without starting the work if it does not acquire the lock within
   * `waitMs`. Throws `timed_out` if the deadline expires before that.
   */
  async run<T>(work: () => Promise<T>, { waitMs = Infinity, deadline = null }: LockLimits = {}): Promise<T> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const previous = this.#lastRun;
    const releaseSignal = Promise.withResolvers<void>();
    this.#lastRun = releaseSignal.promise;
    try {
      const acquisition = withDeadline(previous, deadline);
      if (waitMs === Infinity) await acquisition;
      else if (!(await fulfillsWithin(waitMs, acquisition)))
        throw new Error(`The lock was not acquired within ${waitMs} ms.`);
      return await work();
    } finally {
      // Work that stops waiting must not let later work overtake earlier work.
      void previous.then(() => releaseSignal.resolve());
    }
  }

  /** Accepts no more work; resolves once all earlier work has finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lastRun;
  }
}

/** Waits for the promise; throws `timed_out` if the deadline expires first. */
const withDeadline = async <T>(promise: Promise<T>, deadline: Deadline | null): Promise<T> => {
  if (!deadline) return promise;
  const expiry = Promise.withResolvers<never>();
  const unsubscribe = deadline.onExpired(() => expiry.reject(new PorticoError('timed_out')));
  try {
    return await Promise.race([promise, expiry.promise]);
  } finally {
    unsubscribe();
  }
};
