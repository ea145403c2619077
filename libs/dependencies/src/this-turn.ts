import { setImmediate } from 'node:timers';

/** Opens for those who wait at it by then, in the order in which they came, for at most so many at once. */
class Gate {
  readonly #atOnce: number;
  readonly #lots: Lot[] = [];

  constructor(atOnce = Infinity) {
    this.#atOnce = atOnce;
  }

  get isAwaited(): boolean {
    return this.#lots.length > 0;
  }

  pass(): Promise<void> {
    keepAwake();
    let lot = this.#lots.at(-1);
    if (!lot || lot.size === this.#atOnce) this.#lots.push((lot = { size: 0, ...Promise.withResolvers<void>() }));
    lot.size += 1;
    return lot.promise;
  }

  open(): void {
    this.#lots.shift()?.resolve();
  }
}

interface Lot extends PromiseWithResolvers<void> {
  size: number;
}

/** More would gain no more, and the first would wait for the last: 32 searches among 100,000 take some 20 ms. */
const judgedAtOnce = 32;

const arrived = new Gate(judgedAtOnce);
const settled = new Gate();

/**
 * Always the first of its turn, because it is set again before any other can be, so that no background work comes between
 * the arrival of a request and its answer. While nobody waits it keeps neither the loop turning nor the process alive.
 */
let opening: NodeJS.Immediate | null = null;

const keepAwake = (): void => {
  opening ??= setImmediate(openGates);
  opening.ref();
};

const openGates = (): void => {
  opening = setImmediate(openGates).unref();
  arrived.open();
  if (arrived.isAwaited) keepAwake();
  // Once in a turn: whoever waits again and again must not keep others from theirs.
  whenNothingRuns(() => settled.open());
};

/** Calls `work` when no promise has anything left to do: Node runs ticks once the queue of microtasks is empty. */
export const whenNothingRuns = (work: () => void): void => queueMicrotask(() => process.nextTick(work));

/**
 * The turn of the event loop that is under way, in stages, so that the same is done for many at a time: requests are
 * read, then all of them are judged, then what they send leaves. Changing from one kind of work to another for each
 * request costs more than the work itself, because each finds the processor's caches filled by the others.
 *
 * Each resolves in this turn, or in the next one if its stage is over.
 */
export const thisTurn = {
  /** Everything that had come when the turn began has been read. At most 32 go on at once, the others a turn later. */
  arrived: (): Promise<void> => arrived.pass(),

  /** All who were judged have come as far as they can: now is the time to send. */
  settled: (): Promise<void> => settled.pass(),
};
