import { OllamaFailure } from './ollama-failure.ts';

export interface LaneOptions {
  /** How many are worked at once. */
  readonly atOnce: number;
  /** How many wait besides; one more fails at once. */
  readonly waiting: number;
  /** How long one may wait for its turn. */
  readonly waitMs: number;
}

/** Lets so many through at once, the others in the order in which they came. Whoever gets no turn is `busy`, and was never sent. */
export class Lane {
  readonly #options: LaneOptions;
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      const [next] = this.#waiting;
      next?.();
    }
  }

  async #turn(): Promise<void> {
    const { atOnce, waiting, waitMs } = this.#options;
    if (this.#underWay >= atOnce) {
      if (this.#waiting.size >= waiting) throw new OllamaFailure('busy', 'too many texts wait');
      await this.#called(waitMs);
    }
    this.#underWay += 1;
  }

  #called(waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const call = (): void => settle(resolve);
      const settle = (outcome: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(call);
        outcome();
      };
      const timer = setTimeout(
        () => settle(() => reject(new OllamaFailure('busy', `a text had no turn within ${waitMs} ms`))),
        waitMs,
      );
      this.#waiting.add(call);
    });
  }
}
