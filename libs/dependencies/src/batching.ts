import { setImmediate } from 'node:timers';

/**
 * The callers that are waiting for a phase, in the order of their arrival. Each run of the phase releases one batch.
 */
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

/** The maximum size of a batch. Larger batches have no benefit, and the first request in a batch waits for the last. */
const batchSizeMax = 32;

const authorizeQueue = new PhaseQueue(batchSizeMax);
const flushQueue = new PhaseQueue();

/**
 * The immediate that runs the phases. It is always the first immediate of its tick, because it is scheduled again
 * before any other immediate can be scheduled. Therefore, no background work runs between a request and its response.
 * While no caller is waiting, it is unreferenced, so that it keeps neither the loop nor the process running.
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
  // Flush only once per tick: a loop that flushes continuously must not starve other work.
  runAfterMicrotasks(() => flushQueue.releaseBatch());
};

/** Schedules work for after the microtasks: Node processes `nextTick` callbacks once the microtask queue is empty. */
const runAfterMicrotasks = (work: () => void): void => queueMicrotask(() => process.nextTick(work));

/**
 * One tick of the event loop, divided into phases: all requests that have arrived are read, then up to 32 of them are
 * authorized and handled, then their output is sent. Switching between kinds of work for each request would cost more
 * than the work itself, because each kind evicts the others' data from the processor's caches.
 *
 * Each promise resolves in this tick, or in the next tick if its phase is already over.
 */
export const tick = {
  /** Resolves once everything that had arrived when the tick began has been read. */
  authorize: (): Promise<void> => authorizeQueue.wait(),

  /** Resolves once no request can continue without I/O, which is the time to send output. */
  flush: (): Promise<void> => flushQueue.wait(),
};
