import type { Clock } from '@portico/domain';

/** A clock that tests move: `advance` moves both sides, `jump` only the wall clock. */
export class ClockByHand implements Clock {
  #wall = Date.UTC(2026, 0, 1);
  #monotonic = 12_345.678;

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

  /** The same wall clock in a new process, whose monotonic clock starts anywhere. */
  inNewProcess(): ClockByHand {
    const clock = new ClockByHand();
    clock.#wall = this.#wall;
    clock.#monotonic = 77;
    return clock;
  }
}
