import type { IBreaker } from 'cockatiel';

export interface FailureWindowOptions {
  readonly failuresMax: number;
  readonly withinMs: number;
  /** Whether a success resets the count. */
  readonly consecutive: boolean;
}

/**
 * Opens a circuit after `failuresMax` failures within `withinMs`. Cockatiel has no such rule: its `ConsecutiveBreaker`
 * also counts failures that are hours apart. Its `CountBreaker` and `SamplingBreaker` evaluate the share of failed
 * calls, so many successes would hide a few failures that each cost a timeout.
 */
export class FailureWindow implements IBreaker {
  /** The times of the failures, on the monotonic clock. */
  state: readonly number[] = [];
  readonly #options: FailureWindowOptions;

  constructor(options: FailureWindowOptions) {
    this.#options = options;
  }

  success(): void {
    if (this.#options.consecutive) this.state = [];
  }

  failure(): boolean {
    const now = performance.now();
    const recentFailures = [...this.state.filter((time) => time >= now - this.#options.withinMs), now];
    const isOpen = recentFailures.length >= this.#options.failuresMax;
    this.state = isOpen ? [] : recentFailures;
    return isOpen;
  }
}
