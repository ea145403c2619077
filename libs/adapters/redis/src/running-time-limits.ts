/** What is counted at a time: a process that stood still for a minute has lost one slice by it. */
export const sliceMs = 50;

/** A limit that is running, to be handed to `stop`. */
export interface RunningTimeLimit {
  slicesLeft: number;
  readonly onEnd: () => void;
}

/**
 * Time limits on answers that do not count the time in which this process itself stood still. After a stall, timers run before
 * arrived data is read, so a plain timer would call an answer late that has long been here. Here time passes in slices, and each
 * ends after the event loop has looked at its sockets once more. One timer serves all limits, so a limit that is kept costs one
 * entry in a set.
 */
export class RunningTimeLimits {
  readonly #limits = new Set<RunningTimeLimit>();
  #isCounting = false;

  /** How many neither ended nor were stopped. */
  get running(): number {
    return this.#limits.size;
  }

  /** Calls `onEnd` after `limitMs` of running time and up to a slice more, unless it is stopped before. */
  start(limitMs: number, onEnd: () => void): RunningTimeLimit {
    // The slice that has begun already does not count.
    const limit = { slicesLeft: Math.ceil(limitMs / sliceMs) + 1, onEnd };
    this.#limits.add(limit);
    if (!this.#isCounting) this.#count();
    return limit;
  }

  stop(limit: RunningTimeLimit): void {
    this.#limits.delete(limit);
  }

  #count(): void {
    this.#isCounting = true;
    // The loop looks at its sockets between its timers and its immediates.
    setTimeout(() => setImmediate(() => this.#endSlice()), sliceMs).unref();
  }

  #endSlice(): void {
    this.#isCounting = false;
    const ended: RunningTimeLimit[] = [];
    for (const limit of this.#limits) if (--limit.slicesLeft === 0) ended.push(limit);
    for (const limit of ended) this.stop(limit);
    if (this.#limits.size > 0) this.#count();
    for (const limit of ended) limit.onEnd();
  }
}
