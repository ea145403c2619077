import { kernelBase64 } from './kernel-bytes.ts';

/** The part of WebAssembly used here, which Node has and the plain ECMAScript library does not declare. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

/** What `kernel.wat` exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  scoreRows(count: number, factor: number, reach: number): void;
}

const module = new WebAssembly.Module(Buffer.from(kernelBase64, 'base64'));

/** The memory layout of `kernel.wat`, in bytes. */
const layout = { levels: 0, addresses: 65_536, scores: 327_680, blocks: 589_824 } as const;
/** How many rows one call scores. */
export const scoredMax = (layout.scores - layout.addresses) / 4;
const levelsMax = (layout.addresses - layout.levels) / 2;
const pageBytes = 65_536;
/** Each growth is at least a quarter, since V8 collects garbage whenever a memory grows. */
const growth = 1.25;

/** A query in 16 bits a number, each of them a multiple of `step`. */
export interface Levels {
  readonly levels: Int16Array;
  readonly step: number;
}

/** The query as `scoreRows` takes it: no sum of products with numbers of 8 bits leaves 32 bits. */
export const levelsOf = (vector: Float32Array): Levels => {
  if (vector.length > levelsMax) throw new RangeError(`A vector has at most ${levelsMax} numbers`);
  const greatest = vector.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  // Each of four lanes adds a quarter of the products.
  const levelMax = Math.min(32_767, Math.floor(0x7fff_ffff / (127 * Math.max(1, vector.length / 4))));
  const factor = greatest === 0 ? 0 : levelMax / greatest;
  return { levels: Int16Array.from(vector, (x) => Math.round(x * factor)), step: greatest / levelMax };
};

/** Blocks in WebAssembly memory, and what compares a query with them. `kernel.wat` says how a block begins. */
export class Kernel {
  readonly #exports = new WebAssembly.Instance(module).exports as Exports;
  #views = viewsOf(this.#exports);

  /** The first address of blocks. */
  readonly start = layout.blocks;

  /** Where blocks must end. */
  get end(): number {
    return this.#views.bytes.length;
  }

  /** The whole memory, until it grows. */
  get views(): Views {
    return this.#views;
  }

  /** Makes room up to there. */
  growTo(end: number): void {
    if (end <= this.end) return;
    this.#exports.memory.grow(Math.ceil((Math.max(end, this.end * growth) - this.end) / pageBytes));
    this.#views = viewsOf(this.#exports);
  }

  /**
   * Scores the rows of these blocks, at most `scoredMax`: the scale of each times (its dot product with the query +
   * `reach`). The scores stay until the next call.
   */
  scoreRows(addresses: Uint32Array, rows: number, { levels, step }: Levels, reach: number): Float32Array {
    this.#views.levels.set(levels);
    this.#views.addresses.set(addresses);
    if (addresses.length > 0) this.#exports.scoreRows(addresses.length, step, reach);
    return this.#views.scores.subarray(0, rows);
  }
}

type Views = ReturnType<typeof viewsOf>;

/** Growing replaces the buffer, so the views are created again. */
const viewsOf = ({ memory: { buffer } }: Exports) => ({
  bytes: Buffer.from(buffer),
  halves: new Uint16Array(buffer),
  words: new Uint32Array(buffer),
  floats: new Float32Array(buffer),
  levels: new Int16Array(buffer, layout.levels, levelsMax),
  addresses: new Uint32Array(buffer, layout.addresses, scoredMax),
  scores: new Float32Array(buffer, layout.scores, scoredMax),
});
