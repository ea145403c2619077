import { PorticoError, type Deadline } from '@portico/domain';
import { fulfilledWithin } from './fulfilled-within.ts';

/** How long work waits for its turn; without end where neither is given. */
export interface TurnLimits {
  readonly waitMs?: number;
  readonly deadline?: Deadline | null;
}

/** Runs one piece of work at a time, in the order in which they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /**
   * Rejects, and never begins the work, where its turn does not come within `waitMs`; throws `timed_out` where it does not come
   * before the deadline expires.
   */
  async run<T>(work: () => Promise<T>, { waitMs = Infinity, deadline = null }: TurnLimits = {}): Promise<T> {
    if (this.#closed) throw new Error('The database is closed.');
    const before = this.#last;
    const left = Promise.withResolvers<void>();
    this.#last = left.promise;
    try {
      const turn = beforeDeadline(before, deadline);
      if (waitMs === Infinity) await turn;
      else if (!(await fulfilledWithin(waitMs, turn))) throw new Error(`The turn did not come within ${waitMs} ms.`);
      return await work();
    } finally {
      // Work that stopped waiting must not let the next one pass those before it.
      void before.then(() => left.resolve());
    }
  }

  /** Takes no more work; fulfilled once all that came before has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}

/** Waits for the work; throws `timed_out` where the deadline expires first. */
const beforeDeadline = async <T>(work: Promise<T>, deadline: Deadline | null): Promise<T> => {
  if (!deadline) return work;
  const late = Promise.withResolvers<never>();
  const forget = deadline.onExpired(() => late.reject(new PorticoError('timed_out')));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    forget();
  }
};
