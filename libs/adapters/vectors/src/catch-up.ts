import { type Change, type Changes, createYielder, Follower } from '@portico/dependencies';
import type { CollectionId } from '@portico/domain';

/** A process's replica of one model's data, with one item per collection. */
export interface Replica<Item> {
  /** The used size, in bytes. */
  readonly bytes: number;
  /** Returns the collections that have an item. */
  listCollections(): readonly CollectionId[];
  /** Returns the sequence number of the collection's item; undefined if it has none. */
  sequenceOf(collectionId: CollectionId): number | undefined;
  put(change: Item): Promise<void>;
  delete(collectionId: CollectionId): void;
}

export interface CollectionChange extends Change {
  readonly collectionId: CollectionId;
}

/** A source of the changes to follow and of the collections that have an item. */
export interface SourceStore<Item extends CollectionChange> extends Changes<Item> {
  /** Returns at most `limit` collections with an id above `after` (null: any id), ordered by id. */
  listCollectionsAfter(after: CollectionId | null, modelId: string, limit: number): Promise<readonly CollectionId[]>;
}

/** Number of ids per read. Such a read takes SQLite about a millisecond. */
const idBatchSize = 2_000;

/** The smallest size for which a sweep is worth its cost. */
const sweepBytesMin = 3 * 1024 * 1024;

/**
 * Brings the replica of one model up to date with the store, as far as each search needs. Deletions by other processes
 * go unnoticed: no search requests the deleted collections, but their items would remain in memory. So whenever the
 * replica has doubled in size, it is compared with the collections in the store, and stale items are removed.
 */
export class CatchUp<Item extends CollectionChange> {
  readonly #store: SourceStore<Item>;
  readonly #modelId: string;
  readonly #follower: Follower<Item>;
  readonly #replica: Replica<Item>;
  /** Collections that were removed during a read; recorded so that a batch in flight does not restore them. */
  readonly #removedIds = new Set<CollectionId>();
  #activeReads = 0;
  /** The size of the replica after the last sweep or, before that, after the first read. */
  #bytesAtLastSweep = 0;

  constructor(store: SourceStore<Item>, batchSize: number, modelId: string, replica: Replica<Item>) {
    this.#store = store;
    this.#modelId = modelId;
    this.#replica = replica;
    this.#follower = new Follower(store, batchSize, {
      apply: (_modelId, changes) => this.#apply(changes),
      end: (_modelId, isFirst) => this.#sweepIfNeeded(isFirst),
    });
  }

  /** Resolves once every change for the model up to `asOf` is in the replica. */
  async read(asOf: number): Promise<void> {
    if (this.#follower.isCompleteUpTo(this.#modelId, asOf)) return;
    this.#activeReads += 1;
    try {
      await this.#follower.catchUp(this.#modelId, asOf);
    } finally {
      this.#activeReads -= 1;
      if (this.#activeReads === 0) this.#removedIds.clear();
    }
  }

  recordRemoval(collectionId: CollectionId): void {
    if (this.#activeReads > 0) this.#removedIds.add(collectionId);
  }

  async #sweepIfNeeded(isFirst: boolean): Promise<void> {
    if (isFirst) this.#bytesAtLastSweep = this.#replica.bytes;
    else if (this.#replica.bytes >= Math.max(sweepBytesMin, 2 * this.#bytesAtLastSweep)) await this.#sweep();
  }

  /**
   * Removes items that are no longer in the store. Items that are added again in the meantime are read with the next
   * changes.
   */
  async #sweep(): Promise<void> {
    const yieldToEventLoop = createYielder();
    const staleIds = new Set(this.#replica.listCollections());
    let lastId: CollectionId | null = null;
    do {
      const ids: readonly CollectionId[] = await this.#store.listCollectionsAfter(lastId, this.#modelId, idBatchSize);
      for (const id of ids) staleIds.delete(id);
      lastId = ids.at(-1) ?? null;
      // SQLite calls are synchronous and block the event loop.
      await yieldToEventLoop();
    } while (lastId !== null);
    for (const collectionId of staleIds) this.#replica.delete(collectionId);
    this.#bytesAtLastSweep = this.#replica.bytes;
  }

  async #apply(changes: readonly Item[]): Promise<void> {
    for (const change of changes) {
      const { collectionId, sequence } = change;
      if (!this.#removedIds.has(collectionId) && sequence > (this.#replica.sequenceOf(collectionId) ?? 0)) {
        await this.#replica.put(change);
        // The collection may have been removed while `put` yielded to the event loop.
        if (this.#removedIds.has(collectionId)) this.#replica.delete(collectionId);
      }
    }
  }
}
