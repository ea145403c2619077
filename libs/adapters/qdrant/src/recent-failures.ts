import type { IBreaker } from 'cockatiel';

/** Opens a circuit after so many failures within a span of time; a success between them changes nothing. */
export class RecentFailures implements IBreaker {
  state: readonly number[] = [];
  readonly #failuresMax: number;
  readonly #withinMs: number;

  constructor(failuresMax: number, withinMs: number) {
    this.#failuresMax = failuresMax;
    this.#withinMs = withinMs;
  }

  success(): void {
    // What failed stays counted until it is old.
  }

  failure(): boolean {
    const now = performance.now();
    this.state = [...this.state, now].filter((at) => at > now - this.#withinMs);
    const isTooMuch = this.state.length >= this.#failuresMax;
    if (isTooMuch) this.state = [];
    return isTooMuch;
  }
}
