import { embeddingDimension } from '@portico/domain';
import { bestScores } from './best-scores.ts';
import { createKernel, type Kernel, pageBytes } from './create-kernel.ts';
import type { RowSet } from './row-set.ts';
import { type Rotated, stripRows, worthBytes, writeCode, writeWorths } from './code-strips.ts';
import { sketchKernelBase64 } from './sketch-kernel.ts';
import { layout, type SketchFunctions } from './sketch-layout.ts';

const listMax = 2 ** 20;

const halfSigns = embeddingDimension / 2;

/** How far off a bound may be: no more than one in 30,000 vectors is farther from its sketch (a normal distribution). */
const deviations = { halfTheSigns: 4, signs: 3.5, levels: 5 } as const;
/** For rounding. */
const tolerance = 1e-5;

/** Sixteen levels at this distance lose least of a normal distribution (Max, 1960). */
const levelStep = 0.3352;
const queryLevelMax = 127;

/** 572 bytes of each row, of 1,024 at a time. */
const blockRows = 1024;
const sketchBytes = 572;

/** How many of the best by their sketches are compared first, to know what the best have at least. */
const firstMin = 48;

/** Of how many times as many rows, the best of groups by half their signs, those are taken. */
const candidatesOfFirst = 8;
/** Smaller groups are made only of rows that are few. */
const groupMin = 64;

/** Where half the signs leave a greater share of the rows, all of them would leave nearly as many. */
const signsMax = 0.75;

/** Fewer rows are compared all. */
const rowsMin = 512;

/**
 * Strips are scanned where at least one in `oneIn` rows is visible, and there are so many times as many strips as rows that
 * are compared first.
 */
const scanned = { oneIn: 5, stripsOfFirst: 2 } as const;

/** What is left of rows by their codes or signs, which the kernel lists. */
interface Sieve {
  /** Some that are likely among the best. */
  readonly first: Uint32Array;
  /** Keeps those that can be at least so similar. Returns their number. */
  readonly keep: (least: number) => number;
}

/**
 * Sketches of unit vectors by row number, which tell the few of many rows that can be among the best. A vector's
 * difference from the mean is rotated at random, so that it has no direction of its own whatever embedder made it. Where
 * many rows are visible, what its code is worth to the query bounds its product with it, for all rows of a strip at once;
 * where few are, the share of different signs, which tells its angle (Charikar, 2002), row by row. 4 bits a dimension tell
 * what is left closer. What they leave out is, with the chance above, less similar than what they keep.
 */
export class VectorSketches {
  readonly #kernel = createKernel<SketchFunctions>(sketchKernelBase64);
  readonly #mean: Float32Array;
  readonly #meanSquares: number;
  #views = viewsOf(this.#kernel);
  #capacity = 0;

  constructor(mean: Float32Array) {
    this.#mean = mean;
    this.#meanSquares = mean.reduce((sum, x) => sum + x * x, 0);
    this.#views.cosinesOfHalf.set(greatestCosinesOfHalf);
    this.#views.cosines.set(greatestCosines);
    this.#views.signs.set(rotationSigns);
    for (let four = 0; four < 16; four += 1) {
      for (let i = 0; i < 4; i += 1) this.#views.addedOfFour[4 * four + i] = four & (1 << i) ? 0 : -Infinity;
    }
  }

  write(row: number, vector: Float32Array): void {
    this.#growTo(row + 1);
    const { bytes, floats } = this.#views;
    const { length, product, rotated } = this.#rotated(vector);
    const { worth, error } = writeLevels(rotated, length, bytes, this.#kernel.levels(row));
    for (let half = 0; half < 2; half += 1) {
      const address = half === 0 ? this.#kernel.head(row) : this.#kernel.tail(row);
      floats[address / 4] = product;
      floats[address / 4 + 1] = length;
      floats[address / 4 + 2] = worth;
      floats[address / 4 + 3] = error;
      writeSigns(rotated, half * halfSigns, (half + 1) * halfSigns, bytes, address + 16);
    }
    writeCode(this.#views, this.#kernel.strip(row), row % stripRows, { rotated, length, product });
  }

  /**
   * Returns those of the visible rows, ascending, that can be among the `limit` best, or equal the last of them; null if
   * all have to be compared. The query has unit length; `score` returns the similarities of some rows.
   */
  rowsOfBest(
    query: Float32Array,
    { rows, bits }: RowSet,
    limit: number,
    score: (rows: Uint32Array) => Float32Array,
  ): Uint32Array | null {
    const firstCount = Math.max(firstMin, 2 * limit);
    if (rows.length > listMax || rows.length < Math.max(rowsMin, 4 * firstCount)) return null;
    const rotated = this.#rotated(query);
    const { length, product } = rotated;
    const areMany =
      bits.length <= listMax / stripRows &&
      bits.length >= scanned.stripsOfFirst * firstCount &&
      rows.length * scanned.oneIn >= bits.length * stripRows;
    const sieve = areMany ? this.#scan(bits, firstCount, rotated) : this.#list(rows, firstCount, rotated);
    const last = score(sieve.first).sort().at(-limit) ?? 0;
    // Whatever is not above 0 is equal.
    if (last <= 0) return null;
    const least = last - product - this.#meanSquares - tolerance;
    const { worth, sum } = writeQueryLevels(rotated.rotated, this.#views.queryLevels);
    const reach = (deviations.levels * length) / Math.sqrt(embeddingDimension);
    const count = this.#kernel.keepCloser(sieve.keep(least), least, worth, 7.5 * sum, reach);
    return this.#views.kept.slice(0, count).map((place) => this.#views.list[place] ?? 0);
  }

  /** Bounds all rows by their codes, strip by strip. */
  #scan(visible: Uint32Array, firstCount: number, { length, rotated }: Rotated): Sieve {
    const { visible: bits, worths } = this.#views;
    bits.set(visible);
    const { step, base } = writeWorths(rotated, worths);
    this.#kernel.scan(visible.length, step, base, length);
    return {
      first: this.#bestOfStrips(visible.length, firstCount),
      keep: (least) => this.#kernel.keepRows(visible.length, least),
    };
  }

  /** The rows with the greatest bounds of the strips with the greatest ones. */
  #bestOfStrips(strips: number, count: number): Uint32Array {
    const { bounds, greatestOfStrips } = this.#views;
    const best = bestScores(greatestOfStrips.subarray(0, strips), count).slice(0, count);
    const rows = new Uint32Array(best.length);
    for (const [at, strip] of best.entries()) {
      const first = strip * stripRows;
      let place = stripRows - 1;
      while (place > 0 && bounds[first + place] !== greatestOfStrips[strip]) place -= 1;
      rows[at] = first + place;
    }
    return rows;
  }

  /** Bounds the rows by half their signs, one by one; those that are left, unless that is most of them, by all signs. */
  #list(rows: Uint32Array, firstCount: number, { length, rotated }: Rotated): Sieve {
    this.#views.list.set(rows);
    writeSigns(rotated, 0, embeddingDimension, this.#views.bytes, layout.query);
    return {
      first: this.#probablyBest(rows.length, firstCount, length).map((place) => rows[place] ?? 0),
      keep: (least) => {
        const kept = this.#kernel.keep(rows.length, least);
        return kept > signsMax * rows.length ? kept : this.#kernel.keepBySigns(kept, least, length);
      },
    };
  }

  /** Bounds the listed rows. Returns the places of up to `count` that are likely among the best. */
  #probablyBest(rows: number, count: number, length: number): Uint32Array {
    const { kept, bounds } = this.#views;
    const size = Math.max(Math.ceil(rows / (candidatesOfFirst * count)), Math.min(groupMin, Math.ceil(rows / count)));
    const groups = Math.ceil(rows / size);
    for (let i = 0; i < groups; i += 1) {
      kept[i] = this.#kernel.bound(i * size, Math.min(rows, (i + 1) * size), length);
    }
    const candidates = kept.slice(0, groups);
    if (groups <= count) return candidates;
    this.#kernel.keepBySigns(groups, -Infinity, length);
    // `Float32Array.from` with a function takes 50 µs for 384, a twentieth of a search.
    const closer = new Float32Array(groups);
    for (let i = 0; i < groups; i += 1) closer[i] = bounds[candidates[i] ?? 0] ?? 0;
    return Uint32Array.from(bestScores(closer, count).slice(0, count), (i) => candidates[i] ?? 0);
  }

  /** The difference from the mean: its length, its product with the mean, and itself rotated. */
  #rotated(vector: Float32Array): Rotated {
    const { rotated } = this.#views;
    const mean = this.#mean;
    let [squares, product] = [0, 0];
    for (let i = 0; i < embeddingDimension; i += 1) {
      const component = mean[i] ?? 0;
      const difference = (vector[i] ?? 0) - component;
      squares += difference * difference;
      product += difference * component;
      rotated[i] = difference;
    }
    this.#kernel.rotate();
    return { length: Math.sqrt(squares), product, rotated };
  }

  #growTo(rows: number): void {
    if (rows <= this.#capacity) return;
    this.#capacity = Math.ceil(rows / blockRows) * blockRows;
    const end = layout.sketches + this.#capacity * sketchBytes;
    const pages = Math.ceil((end - this.#views.bytes.length) / pageBytes);
    if (pages > 0) this.#kernel.memory.grow(pages);
    this.#views = viewsOf(this.#kernel);
  }
}

/** Writes the signs from one dimension to another, 8 in each byte. */
const writeSigns = (rotated: Float32Array, start: number, end: number, bytes: Uint8Array, address: number): void => {
  for (let i = start; i < end; i += 8) {
    let signs = 0;
    for (let bit = 0; bit < 8; bit += 1) signs |= (rotated[i + bit] ?? 0) < 0 ? 1 << bit : 0;
    bytes[address++] = signs;
  }
};

const levels = new Uint8Array(embeddingDimension);

/** Writes 4 bits a dimension. Returns what a level is worth, with the least error, and the length of the error. */
const writeLevels = (rotated: Float32Array, length: number, bytes: Uint8Array, address: number) => {
  const factor = length === 0 ? 0 : Math.sqrt(embeddingDimension) / (levelStep * length);
  let [product, squares] = [0, 0];
  for (let i = 0; i < embeddingDimension; i += 1) {
    const x = rotated[i] ?? 0;
    const level = Math.min(15, Math.max(0, Math.floor(x * factor) + 8));
    levels[i] = level;
    product += x * (level - 7.5);
    squares += (level - 7.5) * (level - 7.5);
  }
  for (let part = 0; part < embeddingDimension; part += 32) {
    for (let i = part; i < part + 16; i += 1) bytes[address++] = (levels[i] ?? 0) | ((levels[i + 16] ?? 0) << 4);
  }
  const worth = product / squares;
  return { worth, error: Math.sqrt(Math.max(0, length * length - worth * product)) };
};

const writeQueryLevels = (rotated: Float32Array, levels: Int8Array) => {
  let greatest = 0;
  for (let i = 0; i < embeddingDimension; i += 1) greatest = Math.max(greatest, Math.abs(rotated[i] ?? 0));
  const factor = greatest === 0 ? 0 : queryLevelMax / greatest;
  let sum = 0;
  for (let i = 0; i < embeddingDimension; i += 1) {
    const level = Math.round((rotated[i] ?? 0) * factor);
    levels[i] = level;
    sum += level;
  }
  return { worth: greatest / queryLevelMax, sum };
};

/** For each number of `n` signs that differ: Wilson's lower bound, at `z` deviations, of the angle's share of half a turn; as a cosine. */
const greatestCosinesOf = (n: number, z: number): Float32Array =>
  Float32Array.from({ length: n + 1 }, (_, different) => {
    const share = different / n;
    const margin = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
    const least = (share + (z * z) / (2 * n) - margin) / (1 + (z * z) / n);
    return Math.cos(Math.PI * Math.max(0, least));
  });

const greatestCosinesOfHalf = greatestCosinesOf(halfSigns, deviations.halfTheSigns);
const greatestCosines = greatestCosinesOf(embeddingDimension, deviations.signs);

/** The same in each process (a linear congruential generator). The Hadamard transform makes a vector 16 times as long. */
const rotationSigns = (() => {
  let state = 20_260_101;
  return Float32Array.from({ length: 2 * embeddingDimension }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state < 2 ** 31 ? -1 / 16 : 1 / 16;
  });
})();

/** Growing replaces the buffer, so the views are created again. */
const viewsOf = ({ memory: { buffer } }: Pick<Kernel<SketchFunctions>, 'memory'>) => ({
  bytes: new Uint8Array(buffer),
  floats: new Float32Array(buffer),
  cosinesOfHalf: new Float32Array(buffer, layout.cosinesOfHalf, halfSigns + 1),
  cosines: new Float32Array(buffer, layout.cosines, embeddingDimension + 1),
  queryLevels: new Int8Array(buffer, layout.queryLevels, embeddingDimension),
  rotated: new Float32Array(buffer, layout.rotated, embeddingDimension),
  signs: new Float32Array(buffer, layout.signs, 2 * embeddingDimension),
  worths: new Uint8Array(buffer, layout.worths, worthBytes),
  addedOfFour: new Float32Array(buffer, layout.addedOfFour, 16 * 4),
  list: new Uint32Array(buffer, layout.list, listMax),
  bounds: new Float32Array(buffer, layout.bounds, listMax),
  kept: new Uint32Array(buffer, layout.kept, listMax),
  greatestOfStrips: new Float32Array(buffer, layout.greatestOfStrips, listMax / stripRows),
  visible: new Uint32Array(buffer, layout.visible, listMax / stripRows),
});
