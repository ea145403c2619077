interface Held<Model> {
  readonly model: Model;
  searches: number;
  /** By `performance.now()`. */
  lastSearchedAt: number;
}

/** No request lasts longer than this, so none still asks for the model before. */
export const usualIdleMs = 30_000;

/**
 * The models whose vectors this process holds: the one that searches use, and for a while the one that they used
 * before, since requests that were admitted earlier still ask for it. WebAssembly memory never shrinks, so each model
 * has one of its own.
 */
export class SearchedModels<Model> {
  readonly #open: (modelId: string) => Model;
  readonly #idleMs: number;
  readonly #held = new Map<string, Held<Model>>();
  #timer: NodeJS.Timeout | undefined;

  /** A model is dropped if searches of another one came since, and none of its own within `idleMs`. */
  constructor(options: { readonly open: (modelId: string) => Model; readonly idleMs: number }) {
    this.#open = options.open;
    this.#idleMs = options.idleMs;
  }

  get all(): readonly Model[] {
    return [...this.#held.values()].map(({ model }) => model);
  }

  /** The model stays as long as `search` runs. */
  async during<Answer>(modelId: string, search: (model: Model) => Promise<Answer>): Promise<Answer> {
    const held = this.#held.get(modelId) ?? this.#hold(modelId);
    held.searches += 1;
    held.lastSearchedAt = performance.now();
    try {
      return await search(held.model);
    } finally {
      held.searches -= 1;
      if (this.#held.size > 1) this.#dropIdle();
    }
  }

  /** At once. */
  drop(modelId: string): void {
    this.#held.delete(modelId);
  }

  #hold(modelId: string): Held<Model> {
    const held = { model: this.#open(modelId), searches: 0, lastSearchedAt: 0 };
    this.#held.set(modelId, held);
    return held;
  }

  #dropIdle(): void {
    const now = performance.now();
    const latest = Math.max(...[...this.#held.values()].map(({ lastSearchedAt }) => lastSearchedAt));
    for (const [modelId, { searches, lastSearchedAt }] of this.#held) {
      const isIdle = searches === 0 && now - lastSearchedAt >= this.#idleMs;
      if (isIdle && lastSearchedAt !== latest) this.#held.delete(modelId);
    }
    clearTimeout(this.#timer);
    // Perhaps no search comes that would drop it.
    if (this.#held.size > 1) this.#timer = setTimeout(() => this.#dropIdle(), this.#idleMs).unref();
  }
}
