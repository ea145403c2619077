import type { EmbeddingChange, EmbeddingStore } from '@portico/domain';

/** How many embeddings are read at once: 512 vectors are 1.5 MB, and 8 MB as JSON. */
export const batchSize = 512;

export interface EmbeddingCopy {
  /** Brings in what the copy has not seen, in the order of its sequence. */
  apply(modelId: string, changes: readonly EmbeddingChange[]): Promise<void> | void;
  /** Before the model is read for the first time; returns the sequence up to which the copy has everything then. */
  begin?(modelId: string): Promise<number>;
  /** Once a reading is through; `isFirst` while nothing of the model was read before. */
  end?(modelId: string, isFirst: boolean): Promise<void>;
}

/** How far the embeddings of one model have been read. */
interface Progress {
  /** The sequence of the last embedding that was read. */
  after: number;
  /** There is none up to this sequence that was not read; at least `after`, and -1 before the first reading. */
  complete: number;
  /** The reading that is under way. */
  reading: Promise<void> | undefined;
}

/** Keeps a copy up with the `EmbeddingStore`, by sequence and as far as each search asks for it. */
export class EmbeddingFollower {
  readonly #embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly #copy: EmbeddingCopy;
  readonly #closing: AbortSignal | undefined;
  readonly #models = new Map<string, Progress>();

  /** `closing` ends what takes long, between two batches. */
  constructor(embeddings: Pick<EmbeddingStore, 'changedSince'>, copy: EmbeddingCopy, closing?: AbortSignal) {
    this.#embeddings = embeddings;
    this.#copy = copy;
    this.#closing = closing;
  }

  isUpTo(modelId: string, asOf: number): boolean {
    return asOf <= (this.#models.get(modelId)?.complete ?? -1);
  }

  /** Says that the copy has everything of the model up to this sequence. */
  continueAfter(modelId: string, sequence: number): void {
    Object.assign(this.#progress(modelId), { after: sequence, complete: sequence });
  }

  /** Resolves once every embedding of the model up to `asOf` is in the copy; searches at one time share one reading. */
  async catchUp(modelId: string, asOf: number): Promise<void> {
    const progress = this.#progress(modelId);
    while (asOf > progress.complete) {
      progress.reading ??= this.#read(modelId, asOf, progress).finally(() => {
        progress.reading = undefined;
      });
      await progress.reading;
    }
  }

  /** All that the store has of the model, in batches. */
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
