import { fulfilledWithin } from '@portico/dependencies';
import { PorticoError, type Deadline } from '@portico/domain';

/** How long work waits for its turn. No limit unless given. */
export interface TurnLimits {
  readonly waitMs?: number;
  readonly deadline?: Deadline | null;
}

/** Runs one piece of work at a time, first come, first served. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /**
   * Rejects without starting the work if its turn does not come within `waitMs`. Throws `timed_out` if the deadline
   * expires before its turn.
   */
  async run<T>(work: () => Promise<T>, { waitMs = Infinity, deadline = null }: TurnLimits = {}): Promise<T> {
    if (this.#closed) throw new Error('The database is closed.');
    const before = this.#last;
    const left = Promise.withResolvers<void>();
    this.#last = left.promise;
    try {
      const turn = beforeDeadline(before, deadline);
      if (waitMs === Infinity) await turn;
      else if (!(await fulfilledWithin(waitMs, turn))) throw new Error(`No lock acquired within ${waitMs} ms.`);
      return await work();
    } finally {
      // Work that stops waiting must not let later work overtake earlier work.
      void before.then(() => left.resolve());
    }
  }

  /** Accepts no more work; resolves once all earlier work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}

/** Waits for the work; throws `timed_out` if the deadline expires first. */
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
