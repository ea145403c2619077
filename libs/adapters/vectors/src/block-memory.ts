import { keyLength, methodLength, nameLength, type PackedLayout, type SparseVector } from '@portico/domain';
import { blockKernelBase64 } from './block-kernel.ts';
import { createKernel, type Kernel, pageBytes } from './create-kernel.ts';

type BlockKernel = Kernel<[row: number, count: number, dimension: number, scale: number, factor: number]>;

/** The memory layout of `block-kernel.wat`, in bytes. */
const layout = { query: 0, scores: 65_536, blocks: 327_680 } as const;
const queryLength = (layout.scores - layout.query) / 2;
/** Memory grows by 4 MB at a time, or more for a greater block. */
const growthPages = 64;

/** A block in the memory: packed operations, as they are stored. */
export interface PlacedBlock {
  /** A multiple of 16. */
  readonly address: number;
  readonly layout: PackedLayout;
}

/** A dense vector in 16 bits a number. */
interface Query {
  readonly levels: Int16Array;
  /** What a level is worth. */
  readonly scale: number;
}

/** Bytes in WebAssembly memory, which blocks are copied to, moved within, and compared in. */
export class BlockMemory {
  readonly #kernel: BlockKernel = createKernel(blockKernelBase64);
  #views = viewsOf(this.#kernel);

  /** The first address of blocks. */
  readonly start = layout.blocks;

  /** The first address that does not exist yet. */
  get end(): number {
    return this.#views.bytes.length;
  }

  /** Makes it at least that long. */
  growTo(end: number): void {
    const pages = Math.ceil((end - this.end) / pageBytes);
    if (pages <= 0) return;
    this.#kernel.memory.grow(Math.max(pages, growthPages));
    this.#views = viewsOf(this.#kernel);
  }

  write(address: number, bytes: Uint8Array): void {
    this.#views.bytes.set(bytes, address);
  }

  move(from: number, to: number, length: number): void {
    this.#views.bytes.copyWithin(to, from, from + length);
  }

  /** The query as `score` takes it: no sum of products with numbers of 8 bits leaves 32 bits. */
  static quantised(dense: Float32Array): Query {
    if (dense.length > queryLength) throw new RangeError(`A vector has at most ${queryLength} numbers`);
    const greatest = dense.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    // Four lanes add a quarter of the products each.
    const levelMax = Math.min(32_767, Math.floor(0x7fff_ffff / (127 * Math.max(1, dense.length / 4))));
    const factor = greatest === 0 ? 0 : levelMax / greatest;
    return { levels: Int16Array.from(dense, (x) => Math.round(x * factor)), scale: greatest / levelMax };
  }

  /** Writes the similarity of each operation of the block to `scores`, from `at` on. */
  score(
    { address, layout: parts }: PlacedBlock,
    query: Query,
    sparse: SparseVector,
    scores: Float32Array,
    at: number,
  ): void {
    const { count, dimension, dense, scales } = parts;
    this.#views.levels.set(query.levels);
    this.#kernel.score(address + dense, count, dimension, address + scales, query.scale);
    scores.set(this.#views.scores.subarray(0, count), at);
    this.#addSparse(address, parts, sparse, scores, at);
  }

  /** Lowers the scores of operations with another method to -Infinity: two words tell a method. */
  keepMethod(
    { address, layout: { count, names } }: PlacedBlock,
    method: string,
    scores: Float32Array,
    at: number,
  ): void {
    const [first, second] = new Uint32Array(Uint8Array.from(Buffer.from(method.padEnd(methodLength))).buffer);
    const { words } = this.#views;
    let word = (address + names + keyLength) / 4;
    for (let row = 0; row < count; row += 1) {
      if (words[word] !== first || words[word + 1] !== second) scores[at + row] = -Infinity;
      word += nameLength / 4;
    }
  }

  keyAt({ address, layout: { names } }: PlacedBlock, row: number): string {
    const start = address + names + row * nameLength;
    return String.fromCharCode(...this.#views.bytes.subarray(start, start + keyLength));
  }

  #addSparse(address: number, parts: PackedLayout, sparse: SparseVector, scores: Float32Array, at: number): void {
    const { words, floats, halves } = this.#views;
    const features = (address + parts.features) / 4;
    const starts = (address + parts.starts) / 4;
    const rows = (address + parts.rows) / 2;
    const weights = (address + parts.weights) / 4;
    let place = 0;
    for (let i = 0; i < sparse.indices.length; i += 1) {
      const feature = sparse.indices[i] ?? 0;
      const weight = sparse.weights[i] ?? 0;
      place = placeOf(feature, words, features, place, parts.featureCount);
      if (place === parts.featureCount) return;
      if (words[features + place] !== feature) continue;
      const end = words[starts + place + 1] ?? 0;
      for (let entry = words[starts + place] ?? 0; entry < end; entry += 1) {
        const row = at + (halves[rows + entry] ?? 0);
        scores[row] = (scores[row] ?? 0) + weight * (floats[weights + entry] ?? 0);
      }
    }
  }
}

/** The place, from `low` up to `high`, of the first of these ascending numbers that is not below `wanted`. */
const placeOf = (wanted: number, numbers: Uint32Array, start: number, low: number, high: number): number => {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[start + middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Growing replaces the buffer, so the views are created again. */
const viewsOf = ({ memory: { buffer } }: BlockKernel) => ({
  bytes: new Uint8Array(buffer),
  words: new Uint32Array(buffer),
  floats: new Float32Array(buffer),
  halves: new Uint16Array(buffer),
  levels: new Int16Array(buffer, layout.query, queryLength),
  scores: new Float32Array(buffer, layout.scores, (layout.blocks - layout.scores) / 4),
});
