import { LinkedList, type ListPlace } from '@portico/domain';

/** Length of one slice in milliseconds. A process that stalls for a minute loses only one slice. */
export const sliceMs = 50;

interface Limit {
  slicesLeft: number;
  readonly onEnd: () => void;
}

/** A running limit, to be passed to `stop`. */
export type RunningTimeLimit = ListPlace<Limit>;

/**
 * Timeouts that do not count the time in which this process itself stalled. After a stall, timers run before arrived
 * data is read, so a plain timer would time out a reply that is already here. Here time passes in slices, and each ends
 * only after the event loop has polled its sockets once more. One timer serves all limits, so a limit costs one place
 * in a list.
 */
export class RunningTimeLimits {
  readonly #limits = new LinkedList<Limit>();
  #isCounting = false;

  /** How many limits are neither expired nor stopped. */
  get running(): number {
    return this.#limits.size;
  }

  /** Calls `onEnd` after `limitMs` of running time, or up to one slice later, unless stopped first. */
  start(limitMs: number, onEnd: () => void): RunningTimeLimit {
    // The slice under way does not count.
    const limit = this.#limits.add({ slicesLeft: Math.ceil(limitMs / sliceMs) + 1, onEnd });
    if (!this.#isCounting) this.#count();
    return limit;
  }

  stop(limit: RunningTimeLimit): void {
    this.#limits.remove(limit);
  }

  #count(): void {
    this.#isCounting = true;
    // The event loop polls its sockets between timers and immediates.
    setTimeout(() => setImmediate(() => this.#endSlice()), sliceMs).unref();
  }

  #endSlice(): void {
    this.#isCounting = false;
    const ended: RunningTimeLimit[] = [];
    for (const limit of this.#limits.places()) if (--limit.value.slicesLeft === 0) ended.push(limit);
    for (const limit of ended) this.stop(limit);
    if (this.#limits.size > 0) this.#count();
    for (const { value } of ended) value.onEnd();
  }
}
