import type { Clock } from '@portico/domain';

/** A clock that tests control: `advance` moves wall time and monotonic time, `jump` only wall time. */
export class ManualClock implements Clock {
  #wall = Date.UTC(2026, 0, 1);
  #monotonic: number;

  /** The monotonic clock starts at an arbitrary value, as in any new process. */
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

  /** Returns a clock with the same wall time, as in a new process. */
  copyForNewProcess(monotonic = 77): ManualClock {
    const clock = new ManualClock(monotonic);
    clock.#wall = this.#wall;
    return clock;
  }
}
