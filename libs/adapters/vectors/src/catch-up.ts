import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import type { VectorRows } from './vector-rows.ts';

/** How many embeddings are read at once: 512 vectors are 1.5 MB. */
const batchSize = 512;

/** How far the embeddings of one model have been read. */
interface Progress {
  /** The sequence of the last embedding that was read. */
  after: number;
  /** There is none up to this sequence that was not read; at least `after`. */
  complete: number;
  /** The reading that is under way. */
  reading: Promise<void> | undefined;
}

/** Keeps the rows a copy of the store, as far as each search asks for it. */
export class CatchUp {
  readonly #embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly #rows: VectorRows;
  readonly #models = new Map<string, Progress>();
  /** What was removed while something was read, so that a batch that is still on its way does not bring it back. */
  readonly #removed = new Set<CollectionId>();
  #readings = 0;

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

  /**
   * To be called before the collection's vector is overwritten by one without a sequence. That may be older than the one
   * that was read, if its writer was held up: so what was read a short while ago is read again, and the store decides.
   */
  beforeOverwriting(collectionId: CollectionId): void {
    this.#removed.delete(collectionId);
    const stored = this.#rows.find(collectionId);
    if (stored && stored.sequence > 0) {
      const progress = this.#progress(stored.modelId);
      if (progress.after - stored.sequence < batchSize) {
        progress.after = Math.min(progress.after, stored.sequence - 1);
        progress.complete = Math.min(progress.complete, stored.sequence - 1);
      }
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
      while (asOf > progress.complete) {
        const { after } = progress;
        const changes = await this.#embeddings.changedSince(after, modelId, batchSize);
        this.#apply(modelId, changes);
        // Set back meanwhile by `beforeOverwriting`: then it goes on from there.
        if (progress.after === after) {
          progress.after = changes.at(-1)?.sequence ?? after;
          progress.complete = Math.max(progress.complete, changes.length < batchSize ? asOf : progress.after);
        }
      }
    } finally {
      this.#readings -= 1;
      if (this.#readings === 0) {
        this.#removed.clear();
      }
    }
  }

  #apply(modelId: string, changes: readonly EmbeddingChange[]): void {
    for (const { collectionId, vector, sequence } of changes) {
      if (!this.#removed.has(collectionId) && sequence >= (this.#rows.find(collectionId)?.sequence ?? 0)) {
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
