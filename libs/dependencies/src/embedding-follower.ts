import type { EmbeddingChange, EmbeddingStore } from '@portico/domain';

/** How many embeddings are read at once: 512 vectors are 1.5 MB, and 8 MB as JSON. */
export const batchSize = 512;

export interface EmbeddingCopy {
  /** Applies the changes that the copy has not seen, in order of sequence. */
  apply(modelId: string, changes: readonly EmbeddingChange[]): Promise<void> | void;
  /** Called before the first read of a model; returns the sequence up to which the copy is complete. */
  begin?(modelId: string): Promise<number>;
  /** Called after a read; `isFirst` if nothing of the model was read before. */
  end?(modelId: string, isFirst: boolean): Promise<void>;
}

/** How far the embeddings of one model have been read. */
interface Progress {
  /** The sequence of the last embedding read. */
  after: number;
  /** All embeddings up to this sequence were read; at least `after`, and -1 before the first read. */
  complete: number;
  /** The read under way. */
  reading: Promise<void> | undefined;
}

/** Keeps a copy up to date with the `EmbeddingStore`, by sequence and as far as each search needs. */
export class EmbeddingFollower {
  readonly #embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly #copy: EmbeddingCopy;
  readonly #closing: AbortSignal | undefined;
  readonly #models = new Map<string, Progress>();

  /** `closing` ends long reads, between two batches. */
  constructor(embeddings: Pick<EmbeddingStore, 'changedSince'>, copy: EmbeddingCopy, closing?: AbortSignal) {
    this.#embeddings = embeddings;
    this.#copy = copy;
    this.#closing = closing;
  }

  isUpTo(modelId: string, asOf: number): boolean {
    return asOf <= (this.#models.get(modelId)?.complete ?? -1);
  }

  /** Declares that the copy is complete up to this sequence of the model. */
  continueAfter(modelId: string, sequence: number): void {
    Object.assign(this.#progress(modelId), { after: sequence, complete: sequence });
  }

  /** Resolves once every embedding of the model up to `asOf` is in the copy; simultaneous searches share one read. */
  async catchUp(modelId: string, asOf: number): Promise<void> {
    const progress = this.#progress(modelId);
    while (asOf > progress.complete) {
      progress.reading ??= this.#read(modelId, asOf, progress).finally(() => {
        progress.reading = undefined;
      });
      await progress.reading;
    }
  }

  /** All of the model's embeddings in the store, in batches. */
  async *all(modelId: string): AsyncGenerator<readonly EmbeddingChange[]> {
    let after = 0;
    for (let isLast = false; !isLast;) {
      const changes = await this.#after(after, modelId);
      isLast = changes.length < batchSize;
      yield changes;
      after = changes.at(-1)?.sequence ?? after;
    }
  }

  async #read(modelId: string, asOf: number, progress: Progress): Promise<void> {
    const isFirst = progress.after === 0;
    if (progress.complete < 0 && this.#copy.begin) this.continueAfter(modelId, await this.#copy.begin(modelId));
    while (asOf > progress.complete) {
      const { after } = progress;
      const changes = await this.#after(after, modelId);
      await this.#copy.apply(modelId, changes);
      progress.after = changes.at(-1)?.sequence ?? after;
      progress.complete = Math.max(progress.complete, changes.length < batchSize ? asOf : progress.after);
    }
    await this.#copy.end?.(modelId, isFirst);
  }

  #after(sequence: number, modelId: string): Promise<readonly EmbeddingChange[]> {
    this.#closing?.throwIfAborted();
    return this.#embeddings.changedSince(sequence, modelId, batchSize);
  }

  #progress(modelId: string): Progress {
    const known = this.#models.get(modelId) ?? { after: 0, complete: -1, reading: undefined };
    this.#models.set(modelId, known);
    return known;
  }
}
