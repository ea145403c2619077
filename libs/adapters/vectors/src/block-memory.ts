import {
  type HybridVector,
  keyLength,
  methodLength,
  nameLength,
  packedOperationsMax,
  type PackedLayout,
  type SparseVector,
} from '@portico/domain';
import { blockKernelBase64 } from './block-kernel.ts';
import type { BlockLayout } from './block-layout.ts';
import { bytesAtOnce, portions, writeBlock } from './block-writing.ts';
import { createKernel, type Kernel, pageBytes } from './create-kernel.ts';

type BlockKernel = Kernel<{
  clear(count: number): void;
  addSparse(blocks: number, features: number): number;
  addDense(blocks: number, factor: number, step: number, lowest: number, least: number, error: number): void;
  measure(block: number, from: number, to: number): void;
  keep(count: number, least: number): number;
}>;

/** The memory layout of `block-kernel.wat`, in bytes. */
const layout = {
  query: 0,
  scores: 65_536,
  /** At first the blocks of a search, then the places of what is kept. */
  places: 327_696,
  features: 589_856,
  weights: 622_624,
  steps: 753_696,
  blocks: 786_464,
} as const;
const featuresMax = (layout.weights - layout.features) / 4;
const queryLength = (layout.scores - layout.query) / 2;
/** Memory grows by 4 MB at a time, or more for a greater block. */
const growthPages = 64;

/** How many operations are compared in one call: those of any block fit. */
export const comparedMax = packedOperationsMax;

/** How far the kernel may read beyond a block. */
const readBeyond = 64;

/** A block in the memory. */
export interface PlacedBlock {
  /** A multiple of 16. */
  readonly address: number;
  readonly layout: BlockLayout;
}

/** Blocks that have operations, one after another. */
export interface Portion {
  readonly addresses: Uint32Array;
  /** How many operations they have, at most `comparedMax`. */
  readonly count: number;
}

/** A query as it is compared. */
export interface Query {
  /** Its dense part in 16 bits a number. */
  readonly levels: Int16Array;
  /** What a level is worth. */
  readonly scale: number;
  readonly estimate: Estimate;
  readonly sparse: SparseVector;
}

/** The dense part of a query in 7 bits a number, each of which stands for `lowest` + `step` times what is in `steps`. */
interface Estimate {
  readonly steps: Uint8Array;
  readonly step: number;
  readonly lowest: number;
  /** How far the similarity with a vector of length 1 may be from the one that the levels tell. */
  readonly error: number;
}

/** Bytes in WebAssembly memory, which blocks are copied to, moved within, and compared in. */
export class BlockMemory {
  readonly #kernel: BlockKernel = createKernel(blockKernelBase64);
  #views = viewsOf(this.#kernel);

  /** The first address of blocks. */
  readonly start = layout.blocks;

  /** Where blocks must end. */
  get end(): number {
    return this.#views.bytes.length - readBeyond;
  }

  /** Makes room up to there. */
  growTo(end: number): void {
    const pages = Math.ceil((end - this.end) / pageBytes);
    if (pages <= 0) return;
    this.#kernel.memory.grow(Math.max(pages, growthPages));
    this.#views = viewsOf(this.#kernel);
  }

  /** Writes packed operations to `address`, where there is room for them. Others may have their turn between portions. */
  async write(
    address: number,
    packed: Uint8Array,
    stored: PackedLayout,
    layout: BlockLayout,
    othersTurn: () => Promise<void>,
  ): Promise<void> {
    // Numbers can be read where they are if these begin at a multiple of their size.
    const aligned = packed.byteOffset % 4 === 0 ? packed : packed.slice();
    await writeBlock(aligned, stored, layout, address, this.#views, othersTurn);
    const scales = new Float32Array(aligned.buffer, aligned.byteOffset + stored.scales, layout.count);
    const rowsAtOnce = Math.ceil(bytesAtOnce / Math.max(1, layout.dimension));
    for (const [from, to] of portions(layout.count, rowsAtOnce)) {
      this.#views.scores.set(scales.subarray(from, to));
      this.#kernel.measure(address, from, to);
      await othersTurn();
    }
  }

  move(from: number, to: number, length: number): void {
    this.#views.bytes.copyWithin(to, from, from + length);
  }

  /** The query as `score` takes it: no sum of products with numbers of 8 bits leaves 32 bits. */
  static quantised({ dense, sparse }: HybridVector): Query {
    if (dense.length > queryLength) throw new RangeError(`A vector has at most ${queryLength} numbers`);
    let greatest = 0;
    for (let i = 0; i < dense.length; i += 1) greatest = Math.max(greatest, Math.abs(dense[i] ?? 0));
    // Four lanes add a quarter of the products each.
    const levelMax = Math.min(32_767, Math.floor(0x7fff_ffff / (127 * Math.max(1, dense.length / 4))));
    const factor = greatest === 0 ? 0 : levelMax / greatest;
    const levels = new Int16Array(dense.length);
    for (let i = 0; i < dense.length; i += 1) levels[i] = Math.round((dense[i] ?? 0) * factor);
    const scale = greatest / levelMax;
    return { levels, scale, estimate: estimateOf(levels, scale), sparse };
  }

  /**
   * The similarity of each operation of these blocks, which have the query's dimension; of one that is not above `least`
   * it may be -Infinity instead. It stays until the next call.
   */
  score({ addresses, count }: Portion, query: Query, least: number): Float32Array {
    const { levels, scale, estimate, sparse } = query;
    const { places, scores, features, weights } = this.#views;
    places.set(addresses);
    this.#kernel.clear(count);
    for (const [from, to] of portions(sparse.indices.length, featuresMax)) {
      features.set(sparse.indices.subarray(from, to));
      weights.set(sparse.weights.subarray(from, to));
      this.#kernel.addSparse(addresses.length, to - from);
    }
    this.#views.levels.set(levels);
    this.#views.steps.set(estimate.steps);
    const above = least - Math.abs(least) * rounding;
    this.#kernel.addDense(addresses.length, scale, estimate.step, estimate.lowest, above, estimate.error);
    return scores.subarray(0, count);
  }

  /** Lowers the scores of operations with another method, which are those of `score`, to -Infinity. */
  keepMethod(blocks: readonly PlacedBlock[], method: string, scores: Float32Array): void {
    // Two words tell a method.
    const [first, second] = new Uint32Array(Uint8Array.from(Buffer.from(method.padEnd(methodLength))).buffer);
    const { words } = this.#views;
    let at = 0;
    for (const { address, layout: parts } of blocks) {
      let word = (address + parts.names + keyLength) / 4;
      for (const end = at + parts.count; at < end; at += 1) {
        if (words[word] !== first || words[word + 1] !== second) scores[at] = -Infinity;
        word += nameLength / 4;
      }
    }
  }

  /**
   * Those of the scores, which are those of `score`, that are above `least`, in their order, and their places among all
   * of them. Both stay until the next call; the other scores are gone.
   */
  keepAbove(least: number, scores: Float32Array) {
    const count = this.#kernel.keep(scores.length, least);
    return { places: this.#views.places.subarray(0, count), scores: scores.subarray(0, count) };
  }

  keyAt({ address, layout: { names } }: PlacedBlock, row: number): string {
    const start = address + names + row * nameLength;
    return this.#views.bytes.toString('latin1', start, start + keyLength);
  }
}

/** More than what the sums of an estimate lose in 32 bits, of the greatest number in them. */
const rounding = 2 ** -20;
const stepMax = 127;
/** So many are estimated at a time: zeros follow the last ones. */
const numbersAtOnce = 32;

const estimateOf = (levels: Int16Array, scale: number): Estimate => {
  let [lowest, greatest] = [0, 0];
  for (let i = 0; i < levels.length; i += 1) {
    const number = (levels[i] ?? 0) * scale;
    lowest = Math.min(lowest, number);
    greatest = Math.max(greatest, number);
  }
  const step = (greatest - lowest) / stepMax;
  const steps = new Uint8Array(Math.ceil(levels.length / numbersAtOnce) * numbersAtOnce);
  let squares = 0;
  for (let i = 0; i < levels.length; i += 1) {
    const above = (levels[i] ?? 0) * scale - lowest;
    const count = step === 0 ? 0 : Math.round(above / step);
    steps[i] = count;
    squares += (above - step * count) ** 2;
  }
  // By Cauchy and Schwarz a product is at most that of the lengths.
  const longest = Math.sqrt(levels.length) * (stepMax * step - lowest);
  return { steps, step, lowest, error: Math.sqrt(squares) + rounding * longest };
};

/** Growing replaces the buffer, so the views are created again. */
const viewsOf = ({ memory: { buffer } }: BlockKernel) => ({
  bytes: Buffer.from(buffer),
  halves: new Uint16Array(buffer),
  words: new Uint32Array(buffer),
  features: new Uint32Array(buffer, layout.features, featuresMax),
  weights: new Float32Array(buffer, layout.weights, featuresMax),
  levels: new Int16Array(buffer, layout.query, queryLength),
  steps: new Uint8Array(buffer, layout.steps, queryLength),
  scores: new Float32Array(buffer, layout.scores, comparedMax),
  places: new Uint32Array(buffer, layout.places, comparedMax),
});
