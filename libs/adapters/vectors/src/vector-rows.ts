import type { CollectionId } from '@portico/domain';
import { VectorMemory } from './vector-memory.ts';

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
export class VectorRows {
  readonly memory = new VectorMemory();
  readonly #entries = new Map<CollectionId, Entry>();
  readonly #collections: CollectionId[] = [];
  readonly #visible = new WeakMap<readonly CollectionId[], Visible>();
  /** Changes whenever a collection is added or removed: cached rows are void then. */
  #generation = 0;

  get count(): number {
    return this.#entries.size;
  }

  /** The collections that have a vector. */
  collections(): readonly CollectionId[] {
    return [...this.#entries.keys()];
  }

  /** The sequence stored for the collection. */
  find(collectionId: CollectionId): Readonly<Pick<Entry, 'sequence'>> | undefined {
    return this.#entries.get(collectionId);
  }

  put(collectionId: CollectionId, vector: Float32Array, sequence: number): void {
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
