/** A stored item. Its sequence number is greater than those of all items stored before it. */
export interface Change {
  readonly sequence: number;
}

/** The part of a store that a follower needs. */
export interface Changes<Item extends Change> {
  /** Returns at most `limit` items of this model with a sequence number above `after`, in order. */
  listChangedSince(after: number, modelId: string, limit: number): Promise<readonly Item[]>;
}

/** The number of embeddings per read: 512 vectors are 1.5 MB, and 8 MB as JSON. */
export const embeddingBatchSize = 512;

/** The number of operation blocks per read: most are smaller than 100 KB, but a block may have 10 MB. */
export const blockBatchSize = 4;

export interface FollowerCopy<Item extends Change> {
  /** Applies the changes that the copy has not received yet, in order of sequence numbers. */
  apply(modelId: string, changes: readonly Item[]): Promise<void> | void;
  /** Called before the first read for a model. Returns the sequence number up to which the copy is complete. */
  begin?(modelId: string): Promise<number>;
  /** Called after a read; searches wait for it. `isFirst` is true if nothing has been read for the model before. */
  end?(modelId: string, isFirst: boolean): Promise<void>;
}

/** The progress of reading the changes for one model. */
interface Progress {
  /** The sequence number of the last change that was read. */
  lastSequence: number;
  /** The sequence number up to which all changes are in the copy and `end` has finished; -1 before the first read. */
  completeUpTo: number;
  /** The read in flight. */
  reading: Promise<void> | undefined;
}

/** Updates a copy of a store, by sequence number, as far as each search requires. */
export class Follower<Item extends Change> {
  readonly #store: Changes<Item>;
  readonly #batchSize: number;
  readonly #copy: FollowerCopy<Item>;
  readonly #closeSignal: AbortSignal | undefined;
  readonly #models = new Map<string, Progress>();

  /** Creates a follower that reads `batchSize` changes at a time. `closeSignal` aborts long reads between two batches. */
  constructor(store: Changes<Item>, batchSize: number, copy: FollowerCopy<Item>, closeSignal?: AbortSignal) {
    this.#store = store;
    this.#batchSize = batchSize;
    this.#copy = copy;
    this.#closeSignal = closeSignal;
  }

  isCompleteUpTo(modelId: string, asOf: number): boolean {
    return asOf <= (this.#models.get(modelId)?.completeUpTo ?? -1);
  }

  /** Records that the copy is complete up to this sequence number for the model. */
  continueAfter(modelId: string, sequence: number): void {
    const progress = this.#getProgress(modelId);
    progress.lastSequence = sequence;
    progress.completeUpTo = sequence;
  }

  /** Resolves once every change for the model up to `asOf` is in the copy. Simultaneous searches share one read. */
  async catchUp(modelId: string, asOf: number): Promise<void> {
    const progress = this.#getProgress(modelId);
    while (asOf > progress.completeUpTo) {
      progress.reading ??= this.#read(modelId, asOf, progress).finally(() => {
        progress.reading = undefined;
      });
      await progress.reading;
    }
  }

  /** Yields all changes for the model in the store, in batches. */
  async *readAll(modelId: string): AsyncGenerator<readonly Item[]> {
    let lastSequence = 0;
    for (let isLast = false; !isLast;) {
      const changes = await this.#readChangesAfter(lastSequence, modelId);
      isLast = changes.length < this.#batchSize;
      yield changes;
      lastSequence = changes.at(-1)?.sequence ?? lastSequence;
    }
  }

  async #read(modelId: string, asOf: number, progress: Progress): Promise<void> {
    const isFirst = progress.lastSequence === 0;
    if (progress.completeUpTo < 0 && this.#copy.begin) this.continueAfter(modelId, await this.#copy.begin(modelId));
    let { completeUpTo } = progress;
    while (asOf > completeUpTo) {
      const { lastSequence } = progress;
      const changes = await this.#readChangesAfter(lastSequence, modelId);
      await this.#copy.apply(modelId, changes);
      progress.lastSequence = changes.at(-1)?.sequence ?? lastSequence;
      completeUpTo = Math.max(completeUpTo, changes.length < this.#batchSize ? asOf : progress.lastSequence);
    }
    await this.#copy.end?.(modelId, isFirst);
    progress.completeUpTo = completeUpTo;
  }

  #readChangesAfter(sequence: number, modelId: string): Promise<readonly Item[]> {
    this.#closeSignal?.throwIfAborted();
    return this.#store.listChangedSince(sequence, modelId, this.#batchSize);
  }

  #getProgress(modelId: string): Progress {
    const progress = this.#models.get(modelId) ?? { lastSequence: 0, completeUpTo: -1, reading: undefined };
    this.#models.set(modelId, progress);
    return progress;
  }
}
