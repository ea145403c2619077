import type { CollectionId } from '@portico/domain';
import { VectorMemory } from './vector-memory.ts';

/** What is known of a collection's vector. */
interface Entry {
  readonly row: number;
  modelId: string;
  /** The sequence of its embedding. */
  sequence: number;
}

interface Visible {
  readonly generation: number;
  readonly modelId: string;
  readonly rows: Uint32Array;
}

/** Maps collections to rows, and arrays of collections to their rows. */
export class VectorRows {
  readonly memory = new VectorMemory();
  readonly #entries = new Map<CollectionId, Entry>();
  readonly #collections: CollectionId[] = [];
  readonly #visible = new WeakMap<readonly CollectionId[], Visible>();
  /** Changes whenever a collection is added, removed or changes its model: cached rows are void then. */
  #generation = 0;

  get count(): number {
    return this.#entries.size;
  }

  /** The collections whose vector is of the model. */
  collectionsOf(modelId: string): readonly CollectionId[] {
    return [...this.#entries].filter(([, entry]) => entry.modelId === modelId).map(([collectionId]) => collectionId);
  }

  /** The model and the sequence stored for the collection. */
  find(collectionId: CollectionId): Readonly<Pick<Entry, 'modelId' | 'sequence'>> | undefined {
    return this.#entries.get(collectionId);
  }

  put(collectionId: CollectionId, modelId: string, vector: Float32Array, sequence: number): void {
    const entry = this.#entries.get(collectionId);
    if (!entry) {
      const row = this.memory.add(vector);
      this.#entries.set(collectionId, { row, modelId, sequence });
      this.#collections[row] = collectionId;
      this.#generation += 1;
      return;
    }
    this.memory.replace(entry.row, vector);
    entry.sequence = sequence;
    if (entry.modelId !== modelId) {
      entry.modelId = modelId;
      this.#generation += 1;
    }
  }

  delete(collectionId: CollectionId): void {
    const entry = this.#entries.get(collectionId);
    if (entry) {
      this.#entries.delete(collectionId);
      this.memory.free(entry.row);
      this.#generation += 1;
    }
  }

  /** The rows of those with a vector of the model, each once, in the order of `among`. */
  rowsOf(among: readonly CollectionId[], modelId: string): Uint32Array {
    const known = this.#visible.get(among);
    if (known?.generation === this.#generation && known.modelId === modelId) {
      return known.rows;
    }
    const rows = new Set<number>();
    for (const collectionId of among) {
      const entry = this.#entries.get(collectionId);
      if (entry?.modelId === modelId) {
        rows.add(entry.row);
      }
    }
    const visible = { generation: this.#generation, modelId, rows: Uint32Array.from(rows) };
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
