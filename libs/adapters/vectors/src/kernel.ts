import { kernelBase64 } from './kernel-bytes.ts';

/**
 * The part of the WebAssembly API that is used here. Node.js provides it, but the ECMAScript type library does not
 * declare it.
 */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

/** The exports of `kernel.wat`. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  scoreRows(count: number, factor: number, margin: number): void;
}

const module = new WebAssembly.Module(Buffer.from(kernelBase64, 'base64'));

/** The memory layout of `kernel.wat`, in bytes. */
const layout = { levels: 0, addresses: 65_536, scores: 327_680, blocks: 589_824 } as const;
/** Maximum number of rows per call. */
export const scoredRowsMax = (layout.scores - layout.addresses) / 4;
const levelsMax = (layout.addresses - layout.levels) / 2;
const pageBytes = 65_536;
/** The memory grows by at least a quarter each time, since each growth causes V8 to collect garbage. */
const growth = 1.25;

/** A query with 16 bits per component; each component is its level times `step`. */
export interface QuantisedQuery {
  readonly levels: Int16Array;
  readonly step: number;
}

/** Quantises a query for `scoreRows`, so that no sum of products with 8-bit numbers overflows 32 bits. */
export const quantiseQuery = (vector: Float32Array): QuantisedQuery => {
  if (vector.length > levelsMax) throw new RangeError(`A vector has at most ${levelsMax} dimensions`);
  const greatest = vector.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  // Each of four lanes sums a quarter of the products.
  const levelMax = Math.min(32_767, Math.floor(0x7fff_ffff / (127 * Math.max(1, vector.length / 4))));
  const factor = greatest === 0 ? 0 : levelMax / greatest;
  return { levels: Int16Array.from(vector, (x) => Math.round(x * factor)), step: greatest / levelMax };
};

/**
 * WebAssembly memory for blocks, and the comparison of the blocks with a query. `kernel.wat` describes the header of a
 * block.
 */
export class Kernel {
  readonly #exports = new WebAssembly.Instance(module).exports as Exports;
  #views = viewsOf(this.#exports);

  /** The lowest address that a block can have. */
  readonly start = layout.blocks;

  /** The end of the memory for blocks. */
  get end(): number {
    return this.#views.bytes.length;
  }

  /** Views of the whole memory, which are valid until it grows. */
  get views(): Views {
    return this.#views;
  }

  /** Grows the memory to at least `end`. */
  growTo(end: number): void {
    if (end <= this.end) return;
    this.#exports.memory.grow(Math.ceil((Math.max(end, this.end * growth) - this.end) / pageBytes));
    this.#views = viewsOf(this.#exports);
  }

  /**
   * Scores the rows of these blocks, at most `scoredRowsMax` rows. A row's score is its scale times (its dot product
   * with the query + `margin`). The result is valid until the next call.
   */
  scoreRows(addresses: Uint32Array, rows: number, { levels, step }: QuantisedQuery, margin: number): Float32Array {
    this.#views.levels.set(levels);
    this.#views.addresses.set(addresses);
    if (addresses.length > 0) this.#exports.scoreRows(addresses.length, step, margin);
    return this.#views.scores.subarray(0, rows);
  }
}

type Views = ReturnType<typeof viewsOf>;

/** Creates views of the memory. Growing the memory replaces its buffer, so the views must then be recreated. */
const viewsOf = ({ memory: { buffer } }: Exports) => ({
  bytes: Buffer.from(buffer),
  halves: new Uint16Array(buffer),
  words: new Uint32Array(buffer),
  floats: new Float32Array(buffer),
  levels: new Int16Array(buffer, layout.levels, levelsMax),
  addresses: new Uint32Array(buffer, layout.addresses, scoredRowsMax),
  scores: new Float32Array(buffer, layout.scores, scoredRowsMax),
});
