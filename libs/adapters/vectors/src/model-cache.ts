interface LoadedModel<Model> {
  readonly model: Model;
  searches: number;
  /** The time of the last search, according to `performance.now()`. */
  lastSearchedAt: number;
}

/** No request takes longer than this, so afterwards none still uses the previous model. */
export const defaultIdleMs = 30_000;

/**
 * The models whose vectors this process has in memory: the one that searches use and, for a while, the previous one,
 * since requests that were admitted earlier still use it. WebAssembly memory never shrinks, so each model has its own
 * memory.
 */
export class ModelCache<Model> {
  readonly #open: (modelId: string) => Model;
  readonly #idleMs: number;
  readonly #loadedModels = new Map<string, LoadedModel<Model>>();
  #timer: NodeJS.Timeout | undefined;

  /** A model is dropped if it has not been searched for `idleMs` and a different model has been searched since. */
  constructor(options: { readonly open: (modelId: string) => Model; readonly idleMs: number }) {
    this.#open = options.open;
    this.#idleMs = options.idleMs;
  }

  get all(): readonly Model[] {
    return [...this.#loadedModels.values()].map(({ model }) => model);
  }

  /** Runs a search on the model, which is not dropped while the search runs. */
  async use<Result>(modelId: string, search: (model: Model) => Promise<Result>): Promise<Result> {
    const loadedModel = this.#loadedModels.get(modelId) ?? this.#load(modelId);
    loadedModel.searches += 1;
    loadedModel.lastSearchedAt = performance.now();
    try {
      return await search(loadedModel.model);
    } finally {
      loadedModel.searches -= 1;
      if (this.#loadedModels.size > 1) this.#dropIdle();
    }
  }

  /** Drops the model immediately. */
  drop(modelId: string): void {
    this.#loadedModels.delete(modelId);
  }

  #load(modelId: string): LoadedModel<Model> {
    const loadedModel = { model: this.#open(modelId), searches: 0, lastSearchedAt: 0 };
    this.#loadedModels.set(modelId, loadedModel);
    return loadedModel;
  }

  #dropIdle(): void {
    const now = performance.now();
    const latestSearchAt = Math.max(...[...this.#loadedModels.values()].map(({ lastSearchedAt }) => lastSearchedAt));
    for (const [modelId, { searches, lastSearchedAt }] of this.#loadedModels) {
      const isIdle = searches === 0 && now - lastSearchedAt >= this.#idleMs;
      if (isIdle && lastSearchedAt !== latestSearchAt) this.#loadedModels.delete(modelId);
    }
    clearTimeout(this.#timer);
    // There may be no further search to drop the idle models.
    if (this.#loadedModels.size > 1) this.#timer = setTimeout(() => this.#dropIdle(), this.#idleMs).unref();
  }
}
