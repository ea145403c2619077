import type { IBreaker } from 'cockatiel';

/** Opens a breaker after so many failures within a time, with no success in between. */
export class FailuresInARow implements IBreaker {
  /** When the last failures were, on the monotonic clock. */
  state: number[] = [];
  readonly #failures: number;
  readonly #withinMs: number;

  constructor(failures: number, withinMs: number) {
    this.#failures = failures;
    this.#withinMs = withinMs;
  }

  success(): void {
    this.state = [];
  }

  failure(): boolean {
    const now = performance.now();
    this.state = [...this.state, now].slice(-this.#failures);
    return this.state.length === this.#failures && now - (this.state[0] ?? now) <= this.#withinMs;
  }
}
