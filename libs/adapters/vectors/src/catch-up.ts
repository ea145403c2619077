import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import type { VectorRows } from './vector-rows.ts';

/** How many embeddings are read at once: 512 vectors are 1.5 MB. */
const batchSize = 512;

/** From how many rows on it is worth while to look for those that the store has no more: 3 MB. */
const rowsWorthSweeping = 1024;

/** How far the embeddings of one model have been read. */
interface Progress {
  /** The sequence of the last embedding that was read. */
  after: number;
  /** There is none up to this sequence that was not read; at least `after`. */
  complete: number;
  /** The reading that is under way. */
  reading: Promise<void> | undefined;
}

/**
 * Keeps the rows a copy of the store, as far as each search asks for it. What another process deleted is not told: no
 * search asks about it, but its rows would stay. So whenever the rows have doubled, everything is read once more, and what
 * is gone is dropped.
 */
export class CatchUp {
  readonly #embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly #rows: VectorRows;
  readonly #models = new Map<string, Progress>();
  /** What was removed while something was read, so that a batch that is still on its way does not bring it back. */
  readonly #removed = new Set<CollectionId>();
  #readings = 0;
  /** How many rows there were when the last of them was known to be in the store. */
  #rowsSwept = 0;

  constructor(embeddings: Pick<EmbeddingStore, 'changedSince'>, rows: VectorRows) {
    this.#embeddings = embeddings;
    this.#rows = rows;
  }

  isNeeded(modelId: string, asOf: number): boolean {
    return asOf > this.#progress(modelId).complete;
  }

  /** Fulfilled once every embedding of the model up to `asOf` is in the rows; searches at one time share one reading. */
  async read(modelId: string, asOf: number): Promise<void> {
    const progress = this.#progress(modelId);
    while (asOf > progress.complete) {
      progress.reading ??= this.#read(modelId, asOf, progress).finally(() => {
        progress.reading = undefined;
      });
      await progress.reading;
    }
  }

  beforeRemoving(collectionId: CollectionId): void {
    if (this.#readings > 0) {
      this.#removed.add(collectionId);
    }
  }

  async #read(modelId: string, asOf: number, progress: Progress): Promise<void> {
    this.#readings += 1;
    try {
      const isFirst = progress.after === 0;
      while (asOf > progress.complete) {
        const { after } = progress;
        const changes = await this.#embeddings.changedSince(after, modelId, batchSize);
        this.#apply(modelId, changes);
        progress.after = changes.at(-1)?.sequence ?? after;
        progress.complete = Math.max(progress.complete, changes.length < batchSize ? asOf : progress.after);
      }
      if (isFirst) this.#rowsSwept = this.#rows.count;
      else if (this.#rows.count >= Math.max(rowsWorthSweeping, 2 * this.#rowsSwept)) await this.#sweep(modelId);
    } finally {
      this.#readings -= 1;
      if (this.#readings === 0) {
        this.#removed.clear();
      }
    }
  }

  /** Drops the rows of the model whose embeddings are gone: one that changes meanwhile is met at its new sequence. */
  async #sweep(modelId: string): Promise<void> {
    const gone = new Set(this.#rows.collectionsOf(modelId));
    for (let after = 0, isLast = false; !isLast;) {
      const changes = await this.#embeddings.changedSince(after, modelId, batchSize);
      for (const { collectionId } of changes) gone.delete(collectionId);
      isLast = changes.length < batchSize;
      after = changes.at(-1)?.sequence ?? after;
    }
    for (const collectionId of gone) {
      if (this.#rows.find(collectionId)?.modelId === modelId) this.#rows.delete(collectionId);
    }
    this.#rowsSwept = this.#rows.count;
  }

  #apply(modelId: string, changes: readonly EmbeddingChange[]): void {
    for (const { collectionId, vector, sequence } of changes) {
      if (!this.#removed.has(collectionId) && sequence > (this.#rows.find(collectionId)?.sequence ?? 0)) {
        this.#rows.put(collectionId, modelId, vector, sequence);
      }
    }
  }

  #progress(modelId: string): Progress {
    const known = this.#models.get(modelId);
    if (known) {
      return known;
    }
    const progress: Progress = { after: 0, complete: 0, reading: undefined };
    this.#models.set(modelId, progress);
    return progress;
  }
}
