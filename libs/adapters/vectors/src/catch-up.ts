import { EmbeddingFollower } from '@portico/dependencies';
import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import type { VectorRows } from './vector-rows.ts';

/** From this many rows on, sweeping those that the store no longer has is worth it: 3 MB. */
const rowsWorthSweeping = 1024;

/**
 * Keeps the rows a copy of one model's embeddings in the store, as far as each search needs. Deletions by other
 * processes go unnoticed: no search asks for them, but their rows would stay. So whenever the rows have doubled,
 * everything is read again, and rows that are gone are dropped.
 */
export class CatchUp {
  readonly #modelId: string;
  readonly #follower: EmbeddingFollower;
  readonly #rows: VectorRows;
  /** What was removed during a read, so that a batch still in flight does not bring it back. */
  readonly #removed = new Set<CollectionId>();
  #readings = 0;
  /** The number of rows at the last sweep. */
  #rowsSwept = 0;

  constructor(embeddings: Pick<EmbeddingStore, 'changedSince'>, modelId: string, rows: VectorRows) {
    this.#modelId = modelId;
    this.#rows = rows;
    this.#follower = new EmbeddingFollower(embeddings, {
      apply: (_modelId, changes) => this.#apply(changes),
      end: (_modelId, isFirst) => this.#afterReading(isFirst),
    });
  }

  /** Resolves once every embedding of the model up to `asOf` is in the rows. */
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
    if (isFirst) this.#rowsSwept = this.#rows.count;
    else if (this.#rows.count >= Math.max(rowsWorthSweeping, 2 * this.#rowsSwept)) await this.#sweep();
  }

  /** Drops the rows whose embeddings are gone: one that changes meanwhile is met at its new sequence. */
  async #sweep(): Promise<void> {
    const gone = new Set(this.#rows.collections());
    for await (const changes of this.#follower.all(this.#modelId)) {
      for (const { collectionId } of changes) gone.delete(collectionId);
    }
    for (const collectionId of gone) this.#rows.delete(collectionId);
    this.#rowsSwept = this.#rows.count;
  }

  #apply(changes: readonly EmbeddingChange[]): void {
    for (const { collectionId, vector, sequence } of changes) {
      if (!this.#removed.has(collectionId) && sequence > (this.#rows.find(collectionId)?.sequence ?? 0)) {
        this.#rows.put(collectionId, vector, sequence);
      }
    }
  }
}
