import type { EmbeddingStore } from '@portico/domain';
import { CatchUp } from './catch-up.ts';
import { VectorRows } from './vector-rows.ts';

/** The vectors of one model, and how far they are a copy of the store. */
export interface SearchedModel {
  readonly rows: VectorRows;
  readonly catchUp: CatchUp;
}

interface Held extends SearchedModel {
  searches: number;
  /** By `performance.now()`. */
  lastSearchedAt: number;
}

/**
 * The models whose vectors this process holds: the one that searches use, and for a while the one that they used
 * before, since requests that were admitted earlier still ask for it. WebAssembly memory never shrinks, so each model
 * has its own, which goes with it.
 */
export class SearchedModels {
  readonly #embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly #idleMs: number;
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | undefined;

  /** A model is dropped if searches of another one came since, and none of its own within `idleMs`. */
  constructor(embeddings: Pick<EmbeddingStore, 'changedSince'>, idleMs: number) {
    this.#embeddings = embeddings;
    this.#idleMs = idleMs;
  }

  get all(): readonly SearchedModel[] {
    return [...this.#held.values()];
  }

  /** The model stays as long as `search` runs. */
  async during<Answer>(modelId: string, search: (model: SearchedModel) => Promise<Answer>): Promise<Answer> {
    const held = this.#held.get(modelId) ?? this.#hold(modelId);
    held.searches += 1;
    held.lastSearchedAt = performance.now();
    try {
      return await search(held);
    } finally {
      held.searches -= 1;
      if (this.#held.size > 1) this.#dropIdle();
    }
  }

  drop(modelId: string): void {
    this.#held.delete(modelId);
  }

  #hold(modelId: string): Held {
    const rows = new VectorRows();
    const catchUp = new CatchUp(this.#embeddings, modelId, rows);
    const held = { rows, catchUp, searches: 0, lastSearchedAt: 0 };
    this.#held.set(modelId, held);
    return held;
  }

  #dropIdle(): void {
    const now = performance.now();
    const latest = Math.max(...[...this.#held.values()].map(({ lastSearchedAt }) => lastSearchedAt));
    for (const [modelId, { searches, lastSearchedAt }] of this.#held) {
      const isIdle = searches === 0 && now - lastSearchedAt >= this.#idleMs;
      if (isIdle && lastSearchedAt < latest) this.#held.delete(modelId);
    }
    clearTimeout(this.#timer);
    // Perhaps no search comes that would drop it.
    if (this.#held.size > 1) this.#timer = setTimeout(() => this.#dropIdle(), this.#idleMs).unref();
  }
}
