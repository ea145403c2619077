import { createYielder } from '@portico/dependencies';
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
  readonly #yieldToEventLoop = createYielder();
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

  /** The first search reads all vectors. */
  async put({ collectionId, vector, sequence }: EmbeddingChange): Promise<void> {
    this.#write(collectionId, vector, sequence);
    await this.#yieldToEventLoop();
  }

  #write(collectionId: CollectionId, vector: Float32Array, sequence: number): void {
    const entry = this.#entries.get(collectionId);
    if (entry) {
      this.memory.replace(entry.row, vector);
      entry.sequence = sequence;
      return;
    }
    const row = this.memory.add(vector);
    this.#entries.set(collectionId, { row, sequence });
    this.#collections[row] = collectionId;
    this.#generation += 1;
  }

  delete(collectionId: CollectionId): void {
    const entry = this.#entries.get(collectionId);
    if (entry) {
      this.#entries.delete(collectionId);
      this.memory.free(entry.row);
      this.#generation += 1;
    }
  }

  /** The rows of those with a vector. */
  rowsOf(among: readonly CollectionId[]): Uint32Array {
    const known = this.#visible.get(among);
    if (known?.generation === this.#generation) return known.rows;
    const numbers = [...new Set(among)].flatMap((collectionId) => this.#entries.get(collectionId)?.row ?? []);
    const rows = Uint32Array.from(numbers);
    this.#visible.set(among, { generation: this.#generation, rows });
    return rows;
  }

  collectionAt(row: number): CollectionId {
    const collectionId = this.#collections[row];
    if (collectionId === undefined) {
      throw new Error(`Row ${row} was never given to a collection`);
    }
    return collectionId;
  }
}
