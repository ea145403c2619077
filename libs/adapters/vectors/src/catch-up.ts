import { type Change, type Changes, createYielder, Follower } from '@portico/dependencies';
import type { CollectionId } from '@portico/domain';

/** What a process holds of one model, something for each collection. */
export interface FollowingCopy<Item> {
  /** How much of it is in use. */
  readonly bytes: number;
  /** Those that it has something of. */
  collections(): readonly CollectionId[];
  /** The sequence of what it has of the collection; undefined if that is nothing. */
  sequenceOf(collectionId: CollectionId): number | undefined;
  put(change: Item): Promise<void>;
  delete(collectionId: CollectionId): void;
}

export interface CollectionChange extends Change {
  readonly collectionId: CollectionId;
}

/** What is followed, and which collections it has something of. */
export interface FollowedStore<Item extends CollectionChange> extends Changes<Item> {
  /** Those with an id above `after` (null: all), in that order, at most `limit`. */
  collectionsAfter(after: CollectionId | null, modelId: string, limit: number): Promise<readonly CollectionId[]>;
}

/** How many ids are read at once: SQLite takes about a millisecond. */
const idsReadAtOnce = 2_000;

/** From this size on, sweeping what the store no longer has is worth it. */
const worthSweepingBytes = 3 * 1024 * 1024;

/**
 * Keeps what is held of one model a copy of the store, as far as each search needs. Deletions by other processes go
 * unnoticed: no search asks for them, but what is held of them would stay. So whenever the copy has doubled, it is
 * compared with what the store has something of, and what is gone is dropped.
 */
export class CatchUp<Item extends CollectionChange> {
  readonly #store: FollowedStore<Item>;
  readonly #modelId: string;
  readonly #follower: Follower<Item>;
  readonly #copy: FollowingCopy<Item>;
  /** What was removed during a read, so that a batch still in flight does not bring it back. */
  readonly #removed = new Set<CollectionId>();
  #readings = 0;
  /** The size of the copy at the last sweep. */
  #bytesSwept = 0;

  constructor(store: FollowedStore<Item>, batchSize: number, modelId: string, copy: FollowingCopy<Item>) {
    this.#store = store;
    this.#modelId = modelId;
    this.#copy = copy;
    this.#follower = new Follower(store, batchSize, {
      apply: (_modelId, changes) => this.#apply(changes),
      end: (_modelId, isFirst) => this.#afterReading(isFirst),
    });
  }

  /** Resolves once every change of the model up to `asOf` is in the copy. */
  async read(asOf: number): Promise<void> {
    if (this.#follower.isUpTo(this.#modelId, asOf)) return;
    this.#readings += 1;
    try {
      await this.#follower.catchUp(this.#modelId, asOf);
    } finally {
      this.#readings -= 1;
      if (this.#readings === 0) this.#removed.clear();
    }
  }

  beforeRemoving(collectionId: CollectionId): void {
    if (this.#readings > 0) this.#removed.add(collectionId);
  }

  async #afterReading(isFirst: boolean): Promise<void> {
    if (isFirst) this.#bytesSwept = this.#copy.bytes;
    else if (this.#copy.bytes >= Math.max(worthSweepingBytes, 2 * this.#bytesSwept)) await this.#sweep();
  }

  /** Drops what is gone from the store. What comes back meanwhile has a new sequence, and is read with the next changes. */
  async #sweep(): Promise<void> {
    const yieldToEventLoop = createYielder();
    const gone = new Set(this.#copy.collections());
    let last: CollectionId | null = null;
    do {
      const there: readonly CollectionId[] = await this.#store.collectionsAfter(last, this.#modelId, idsReadAtOnce);
      for (const id of there) gone.delete(id);
      last = there.at(-1) ?? null;
      // SQLite calls are synchronous.
      await yieldToEventLoop();
    } while (last !== null);
    for (const collectionId of gone) this.#copy.delete(collectionId);
    this.#bytesSwept = this.#copy.bytes;
  }

  async #apply(changes: readonly Item[]): Promise<void> {
    for (const change of changes) {
      const { collectionId, sequence } = change;
      if (!this.#removed.has(collectionId) && sequence > (this.#copy.sequenceOf(collectionId) ?? 0)) {
        await this.#copy.put(change);
        // It may have been removed while others had their turn.
        if (this.#removed.has(collectionId)) this.#copy.delete(collectionId);
      }
    }
  }
}
