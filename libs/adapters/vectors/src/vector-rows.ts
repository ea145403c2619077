import { setImmediate as othersTurn } from 'node:timers/promises';
import { type CollectionId, embeddingDimension, type EmbeddingChange } from '@portico/domain';
import type { FollowingCopy } from './catch-up.ts';
import { type RowSet, rowSetOf } from './row-set.ts';
import { rowBytes, VectorMemory } from './vector-memory.ts';
import { VectorSketches } from './vector-sketches.ts';

/** What is known of a collection's vector. */
interface Entry {
  readonly row: number;
  /** The sequence of its embedding. */
  sequence: number;
}

interface Visible {
  readonly generation: number;
  readonly rows: RowSet;
}

/** With fewer vectors no sketches are made: comparing all takes less than 0.1 ms. */
const sketchedFrom = 1024;

/** The mean is taken again whenever there are as many times more vectors, since other vectors may have come. */
const growthOfMean = 4;

/** How many vectors the mean is taken of. */
const meanOf = 1024;

/** A vector is put, or sketched, in some 5 µs; after as many others have their turn. */
const putsOfATurn = 256;

/** The vectors of one model: maps collections to rows, and arrays of collections to their rows. */
export class VectorRows implements FollowingCopy<EmbeddingChange> {
  readonly memory = new VectorMemory();
  #sketches: VectorSketches | null = null;
  #sketchedAt = sketchedFrom;
  #puts = 0;
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

  /** Of all vectors; null while there are few. */
  get sketches(): VectorSketches | null {
    return this.#sketches;
  }

  /** Lets others have their turn now and then. */
  async put({ collectionId, vector, sequence }: EmbeddingChange): Promise<void> {
    const row = this.#write(collectionId, vector, sequence);
    this.#sketches?.write(row, this.memory.vectorAt(row));
    this.#puts += 1;
    if (this.#puts % putsOfATurn === 0) await othersTurn();
  }

  /** Sketches all vectors once there are many, or many more: not in between, since the first reading is the longest. */
  async settle(): Promise<void> {
    if (this.count >= this.#sketchedAt) await this.#sketchAll();
  }

  #write(collectionId: CollectionId, vector: Float32Array, sequence: number): number {
    const entry = this.#entries.get(collectionId);
    if (entry) {
      this.memory.replace(entry.row, vector);
      entry.sequence = sequence;
      return entry.row;
    }
    const row = this.memory.add(vector);
    this.#entries.set(collectionId, { row, sequence });
    this.#collections[row] = collectionId;
    this.#generation += 1;
    return row;
  }

  /** Searches wait until these are complete, and no other vector is put meanwhile. */
  async #sketchAll(): Promise<void> {
    this.#sketchedAt = growthOfMean * this.count;
    const rows = Array.from(this.#entries.values(), ({ row }) => row);
    const sketches = new VectorSketches(this.#mean(rows));
    for (const [i, row] of rows.entries()) {
      sketches.write(row, this.memory.vectorAt(row));
      if (i % putsOfATurn === 0) await othersTurn();
    }
    this.#sketches = sketches;
  }

  /** Of some of these rows, evenly spread. */
  #mean(rows: readonly number[]): Float32Array {
    const mean = new Float32Array(embeddingDimension);
    const step = Math.ceil(rows.length / meanOf);
    for (let i = 0; i < rows.length; i += step) {
      this.memory.vectorAt(rows[i] ?? 0).forEach((x, dimension) => (mean[dimension] = (mean[dimension] ?? 0) + x));
    }
    return mean.map((sum) => sum / Math.ceil(rows.length / step));
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
  rowsOf(among: readonly CollectionId[]): RowSet {
    const known = this.#visible.get(among);
    if (known?.generation === this.#generation) return known.rows;
    const numbers = among.flatMap((collectionId) => this.#entries.get(collectionId)?.row ?? []);
    const rows = rowSetOf(numbers);
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
