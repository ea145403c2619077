/**
 * The work that a comparison may take, in steps of about a microsecond. Afterwards, the remaining questions are
 * unanswered.
 */
export class WorkBudget {
  #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Whether there was enough for these steps. */
  spend(steps = 1): boolean {
    this.#steps -= steps;
    return this.#steps > 0;
  }

  get isExhausted(): boolean {
    return this.#steps <= 0;
  }
}
