import { fulfillsWithin } from '@portico/dependencies';
import { PorticoError, type Deadline } from '@portico/domain';

/** Limits on how long work waits for the lock. Without limits, it waits indefinitely. */
export interface LockLimits {
  readonly waitMs?: number;
  readonly deadline?: Deadline | null;
}

/** Runs one piece of work at a time, first come, first served. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /**
   * Runs the work once the lock is acquired. Rejects without starting the work if it does not acquire the lock within
   * `waitMs`. Throws `timed_out` if the deadline expires before that.
   */
  async run<T>(work: () => Promise<T>, { waitMs = Infinity, deadline = null }: LockLimits = {}): Promise<T> {
    if (this.#closed) throw new Error('The database is closed.');
    const previous = this.#last;
    const released = Promise.withResolvers<void>();
    this.#last = released.promise;
    try {
      const acquired = beforeDeadline(previous, deadline);
      if (waitMs === Infinity) await acquired;
      else if (!(await fulfillsWithin(waitMs, acquired))) throw new Error(`No lock acquired within ${waitMs} ms.`);
      return await work();
    } finally {
      // Work that stops waiting must not let later work overtake earlier work.
      void previous.then(() => released.resolve());
    }
  }

  /** Accepts no more work; resolves once all earlier work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}

/** Waits for the promise; throws `timed_out` if the deadline expires first. */
const beforeDeadline = async <T>(work: Promise<T>, deadline: Deadline | null): Promise<T> => {
  if (!deadline) return work;
  const expired = Promise.withResolvers<never>();
  const unsubscribe = deadline.onExpired(() => expired.reject(new PorticoError('timed_out')));
  try {
    return await Promise.race([work, expired.promise]);
  } finally {
    unsubscribe();
  }
};
