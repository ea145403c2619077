import type { Clock } from '@portico/domain';

/** A clock that tests move: `advance` moves both sides, `jump` only the wall clock. */
export class ClockByHand implements Clock {
  #wall = Date.UTC(2026, 0, 1);
  #monotonic: number;

  /** The monotonic side starts anywhere, as in any new process. */
  constructor(monotonic = 12_345.678) {
    this.#monotonic = monotonic;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  advance(milliseconds: number): void {
    this.#wall += milliseconds;
    this.#monotonic += milliseconds;
  }

  jump(milliseconds: number): void {
    this.#wall += milliseconds;
  }

  /** The same wall clock in a new process. */
  inNewProcess(monotonic = 77): ClockByHand {
    const clock = new ClockByHand(monotonic);
    clock.#wall = this.#wall;
    return clock;
  }
}
