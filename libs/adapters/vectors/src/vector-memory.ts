import { embeddingDimension } from '@portico/domain';
import { createKernel, type Kernel, pageBytes } from './create-kernel.ts';
import { vectorKernelBase64 } from './vector-kernel.ts';

type VectorKernel = Kernel<{
  /** Scores the first `count` rows of the list. */
  score(count: number): void;
}>;

/** The memory layout of `vector-kernel.wat`, in bytes. */
const layout = { query: 0, rows: 4096, scores: 34_816, vectors: 65_536 } as const;
const listLength = (layout.scores - layout.rows) / 4;
/** Of a vector in the memory. */
export const rowBytes = embeddingDimension * 4;

/** 1,024 rows are exactly 48 pages: memory grows by 3 MB at a time, and existing data stays in place. */
const growthRows = 1024;
const growthPages = (growthRows * rowBytes) / pageBytes;

const checkVector = (vector: Float32Array): void => {
  if (vector.length !== embeddingDimension) {
    throw new RangeError(`A vector has ${embeddingDimension} dimensions, not ${vector.length}`);
  }
};

/** The factor that scales a vector to length 1; throws for one that cannot be compared. */
const toUnitLength = (vector: Float32Array): number => {
  checkVector(vector);
  let squares = 0;
  for (let i = 0; i < embeddingDimension; i += 1) {
    const component = vector[i] ?? 0;
    squares += component * component;
  }
  if (!Number.isFinite(squares)) {
    throw new RangeError('A vector has a component that is not a finite number');
  }
  if (squares === 0) {
    throw new RangeError('A vector whose components are all 0 has no direction to compare');
  }
  return 1 / Math.sqrt(squares);
};

/** Writes the vector at length 1; throws as `toUnitLength`. */
const writeUnit = (vector: Float32Array, words: Float32Array, first: number): void => {
  const factor = toUnitLength(vector);
  for (let i = 0; i < embeddingDimension; i += 1) words[first + i] = (vector[i] ?? 0) * factor;
};

/** Vectors by row number, side by side in WebAssembly memory, and their cosine similarities to a query. */
export class VectorMemory {
  readonly #kernel: VectorKernel = createKernel(vectorKernelBase64);
  readonly #freed: number[] = [];
  #words: Float32Array;
  #list: Uint32Array;
  #scores: Float32Array;
  #rows = 0;
  #capacity = 0;

  constructor() {
    ({ words: this.#words, list: this.#list, scores: this.#scores } = views(this.#kernel));
  }

  /**
   * The vector at length 1, as it is stored. Throws a `RangeError` for one that cannot be compared: a length other than
   * 768, a component that is not finite, no direction.
   */
  static unit(vector: Float32Array): Float32Array {
    const unit = new Float32Array(embeddingDimension);
    writeUnit(vector, unit, 0);
    return unit;
  }

  /** Stores the vector in a free row, and returns its number; throws as `unit`. */
  add(vector: Float32Array): number {
    toUnitLength(vector);
    const row = this.#freed.pop() ?? this.#nextRow();
    this.replace(row, vector);
    return row;
  }

  replace(row: number, vector: Float32Array): void {
    writeUnit(vector, this.#words, (layout.vectors + row * rowBytes) / 4);
  }

  /** Frees the row for another vector. */
  free(row: number): void {
    this.#freed.push(row);
  }

  /**
   * Writes the similarity of each of these rows to a query of unit length to `scores`, in order: between 0 and 1,
   * negative ones raised to 0.
   */
  score(query: Float32Array, rows: Uint32Array, scores: Float32Array): void {
    this.#words.set(query, layout.query / 4);
    for (let start = 0; start < rows.length; start += listLength) {
      const part = rows.length <= listLength ? rows : rows.subarray(start, start + listLength);
      this.#list.set(part);
      this.#kernel.score(part.length);
      if (part.length === listLength) {
        scores.set(this.#scores, start);
      } else {
        scores.set(this.#scores.subarray(0, part.length), start);
      }
    }
  }

  #nextRow(): number {
    if (this.#rows === this.#capacity) {
      this.#kernel.memory.grow(growthPages);
      this.#capacity += growthRows;
      ({ words: this.#words, list: this.#list, scores: this.#scores } = views(this.#kernel));
    }
    this.#rows += 1;
    return this.#rows - 1;
  }
}

/** Growing replaces the buffer, so the views are created again. */
const views = ({ memory: { buffer } }: VectorKernel) => ({
  words: new Float32Array(buffer),
  list: new Uint32Array(buffer, layout.rows, listLength),
  scores: new Float32Array(buffer, layout.scores, listLength),
});
