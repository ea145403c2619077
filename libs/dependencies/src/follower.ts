/** A stored item. Its sequence is greater than the sequences of all items stored before it. */
export interface Change {
  readonly sequence: number;
}

/** The part of a store that a follower needs. */
export interface Changes<Item extends Change> {
  /** Returns at most `limit` items of this model with a sequence above `after`, in order of sequence. */
  changedSince(after: number, modelId: string, limit: number): Promise<readonly Item[]>;
}

/** The number of embeddings per read: 512 vectors are 1.5 MB, and 8 MB as JSON. */
export const embeddingBatchSize = 512;

/** The number of operation blocks per read: most are smaller than 100 KB, but a block may have 10 MB. */
export const blockBatchSize = 4;

export interface FollowerCopy<Item extends Change> {
  /** Applies the changes that the copy has not received yet, in order of sequence. */
  apply(modelId: string, changes: readonly Item[]): Promise<void> | void;
  /** Called before the first read for a model. Returns the sequence up to which the copy is complete. */
  begin?(modelId: string): Promise<number>;
  /** Called after a read; searches wait for it. `isFirst` is true if nothing has been read for the model before. */
  end?(modelId: string, isFirst: boolean): Promise<void>;
}

/** The progress of reading the changes for one model. */
interface Progress {
  /** The sequence of the last change that was read. */
  after: number;
  /** The sequence up to which all changes are in the copy and `end` has finished; -1 before the first read. */
  complete: number;
  /** The read in flight. */
  reading: Promise<void> | undefined;
}

/** Updates a copy of a store, by sequence, as far as each search requires. */
export class Follower<Item extends Change> {
  readonly #store: Changes<Item>;
  readonly #batchSize: number;
  readonly #copy: FollowerCopy<Item>;
  readonly #closing: AbortSignal | undefined;
  readonly #models = new Map<string, Progress>();

  /** Creates a follower that reads `batchSize` changes at a time. `closing` aborts long reads between two batches. */
  constructor(store: Changes<Item>, batchSize: number, copy: FollowerCopy<Item>, closing?: AbortSignal) {
    this.#store = store;
    this.#batchSize = batchSize;
    this.#copy = copy;
    this.#closing = closing;
  }

  isUpTo(modelId: string, asOf: number): boolean {
    return asOf <= (this.#models.get(modelId)?.complete ?? -1);
  }

  /** Records that the copy is complete up to this sequence for the model. */
  continueAfter(modelId: string, sequence: number): void {
    Object.assign(this.#progress(modelId), { after: sequence, complete: sequence });
  }

  /** Resolves once every change of the model up to `asOf` is in the copy. Simultaneous searches share one read. */
  async catchUp(modelId: string, asOf: number): Promise<void> {
    const progress = this.#progress(modelId);
    while (asOf > progress.complete) {
      progress.reading ??= this.#read(modelId, asOf, progress).finally(() => {
        progress.reading = undefined;
      });
      await progress.reading;
    }
  }

  /** Yields all changes of the model in the store, in batches. */
  async *all(modelId: string): AsyncGenerator<readonly Item[]> {
    let after = 0;
    for (let isLast = false; !isLast;) {
      const changes = await this.#changesAfter(after, modelId);
      isLast = changes.length < this.#batchSize;
      yield changes;
      after = changes.at(-1)?.sequence ?? after;
    }
  }

  async #read(modelId: string, asOf: number, progress: Progress): Promise<void> {
    const isFirst = progress.after === 0;
    if (progress.complete < 0 && this.#copy.begin) this.continueAfter(modelId, await this.#copy.begin(modelId));
    let { complete } = progress;
    while (asOf > complete) {
      const { after } = progress;
      const changes = await this.#changesAfter(after, modelId);
      await this.#copy.apply(modelId, changes);
      progress.after = changes.at(-1)?.sequence ?? after;
      complete = Math.max(complete, changes.length < this.#batchSize ? asOf : progress.after);
    }
    await this.#copy.end?.(modelId, isFirst);
    progress.complete = complete;
  }

  #changesAfter(sequence: number, modelId: string): Promise<readonly Item[]> {
    this.#closing?.throwIfAborted();
    return this.#store.changedSince(sequence, modelId, this.#batchSize);
  }

  #progress(modelId: string): Progress {
    const progress = this.#models.get(modelId) ?? { after: 0, complete: -1, reading: undefined };
    this.#models.set(modelId, progress);
    return progress;
  }
}
