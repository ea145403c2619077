import type { Deadline } from '@portico/domain';
import { inTime } from './in-time.ts';
import { isDoneWithin } from './is-done-within.ts';

/** How long a turn is waited for; without end where neither is given. */
export interface Patience {
  readonly waitMs?: number;
  readonly deadline?: Deadline | null;
}

/** Lets one piece of work in at a time, in the order in which they came. */
export class Gate {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /**
   * Rejects, and never begins the work, where its turn does not come within `waitMs`, or, by `timed_out`, not before the deadline
   * expires.
   */
  async enter<T>(work: () => Promise<T>, { waitMs = Infinity, deadline = null }: Patience = {}): Promise<T> {
    if (this.#closed) throw new Error('The database is closed.');
    const before = this.#last;
    const left = Promise.withResolvers<void>();
    this.#last = left.promise;
    try {
      const turn = inTime(before, deadline);
      if (waitMs === Infinity) await turn;
      else if (!(await isDoneWithin(waitMs, turn))) throw new Error(`The turn did not come within ${waitMs} ms.`);
      return await work();
    } finally {
      // Whoever gave up lets the next one in no sooner than its own turn would have come.
      void before.then(() => left.resolve());
    }
  }

  /** Lets nobody else in; fulfilled once the last one has left. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}
