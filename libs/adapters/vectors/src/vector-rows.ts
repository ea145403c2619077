import type { CollectionId, EmbeddingChange } from '@portico/domain';
import type { FollowingCopy } from './catch-up.ts';
import { rowBytes, VectorMemory } from './vector-memory.ts';

/** What is known of a collection's vector. */
interface Entry {
  readonly row: number;
  /** The sequence of its embedding. */
  sequence: number;
}

interface Visible {
  readonly generation: number;
  readonly rows: Uint32Array;
}

/** The vectors of one model: maps collections to rows, and arrays of collections to their rows. */
export class VectorRows implements FollowingCopy<EmbeddingChange> {
  readonly memory = new VectorMemory();
  readonly #entries = new Map<CollectionId, Entry>();
  readonly #collections: CollectionId[] = [];
  readonly #visible = new WeakMap<readonly CollectionId[], Visible>();
  /** Changes whenever a collection is added or removed: cached rows are void then. */
  #generation = 0;

  get count(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.count * rowBytes;
  }

  /** The collections that have a vector. */
  collections(): readonly CollectionId[] {
    return [...this.#entries.keys()];
  }

  sequenceOf(collectionId: CollectionId): number | undefined {
    return this.#entries.get(collectionId)?.sequence;
  }

  put({ collectionId, vector, sequence }: EmbeddingChange): void {
    const entry = this.#entries.get(collectionId);
    if (!entry) {
      const row = this.memory.add(vector);
      this.#entries.set(collectionId, { row, sequence });
      this.#collections[row] = collectionId;
      this.#generation += 1;
      return;
    }
    this.memory.replace(entry.row, vector);
    entry.sequence = sequence;
  }

  delete(collectionId: CollectionId): void {
    const entry = this.#entries.get(collectionId);
    if (entry) {
      this.#entries.delete(collectionId);
      this.memory.free(entry.row);
      this.#generation += 1;
    }
  }

  /** The rows of those with a vector, each once, in the order of `among`. */
  rowsOf(among: readonly CollectionId[]): Uint32Array {
    const known = this.#visible.get(among);
    if (known?.generation === this.#generation) {
      return known.rows;
    }
    const rows = new Set<number>();
    for (const collectionId of among) {
      const entry = this.#entries.get(collectionId);
      if (entry) {
        rows.add(entry.row);
      }
    }
    const visible = { generation: this.#generation, rows: Uint32Array.from(rows) };
    this.#visible.set(among, visible);
    return visible.rows;
  }

  collectionAt(row: number): CollectionId {
    const collectionId = this.#collections[row];
    if (collectionId === undefined) {
      throw new Error(`Row ${row} was never given to a collection`);
    }
    return collectionId;
  }
}
