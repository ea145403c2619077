import { setImmediate } from 'node:timers';

/** Callers that wait for a phase, in the order in which they came; each run of it releases one batch. */
class PhaseQueue {
  readonly #maxBatchSize: number;
  readonly #batches: Batch[] = [];

  constructor(maxBatchSize = Infinity) {
    this.#maxBatchSize = maxBatchSize;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  wait(): Promise<void> {
    keepAwake();
    let batch = this.#batches.at(-1);
    if (!batch || batch.size === this.#maxBatchSize) {
      this.#batches.push((batch = { size: 0, ...Promise.withResolvers<void>() }));
    }
    batch.size += 1;
    return batch.promise;
  }

  releaseBatch(): void {
    this.#batches.shift()?.resolve();
  }
}

interface Batch extends PromiseWithResolvers<void> {
  size: number;
}

/** More gains nothing, and the first request of a batch waits for the last. */
const maxBatchSize = 32;

const authorizeQueue = new PhaseQueue(maxBatchSize);
const flushQueue = new PhaseQueue();

/**
 * Always the first immediate of its tick, because it is set again before any other can be, so that no background work
 * runs between a request and its answer. While nobody waits it keeps neither the loop nor the process running.
 */
let immediate: NodeJS.Immediate | null = null;

const keepAwake = (): void => {
  immediate ??= setImmediate(runPhases);
  immediate.ref();
};

const runPhases = (): void => {
  immediate = setImmediate(runPhases).unref();
  authorizeQueue.releaseBatch();
  if (!authorizeQueue.isEmpty) keepAwake();
  // Once in a tick: a loop that flushes again and again must not starve others.
  afterMicrotasks(() => flushQueue.releaseBatch());
};

/** Node runs its own ticks once the queue of microtasks is empty. */
const afterMicrotasks = (work: () => void): void => queueMicrotask(() => process.nextTick(work));

/**
 * One tick of the event loop, in phases: all requests that have arrived are read, then up to 32 are authorized and
 * handled, then what they send goes out. Switching from one kind of work to another for each request costs more than
 * the work itself, because each finds the processor's caches filled by the others.
 *
 * Each resolves in this tick, or in the next one if its phase is over.
 */
export const tick = {
  /** Everything that had arrived when the tick began has been read. */
  authorize: (): Promise<void> => authorizeQueue.wait(),

  /** No request can go on by itself: now is the time to send. */
  flush: (): Promise<void> => flushQueue.wait(),
};
