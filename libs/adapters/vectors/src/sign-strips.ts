import { embeddingDimension } from '@portico/domain';

/**
 * The signs of half the dimensions of 32 rows, side by side, so that one instruction looks up what four signs of each of
 * 16 rows are worth to a query (as fast scans of quantized vectors do: André, Kermarrec, Le Scouarnec, 2015). A row's
 * product with the query is estimated from it without bias, and with a known deviation (RaBitQ: Gao, Long, 2024).
 */
export const stripRows = 32;

const signsOfGroup = 4;
const groups = embeddingDimension / signsOfGroup;
const groupsOfHalf = groups / 2;
const worthsOfGroup = 2 ** signsOfGroup;
export const worthBytes = groups * worthsOfGroup;

/** Eight of them are added in a byte. */
const stepsMax = 31;

/** So far off an estimate may be, of a normal distribution. */
const deviations = 4;

/** In a strip, after its signs: a product, a slope and a margin of each row, as f32. */
const numbersOffset = groupsOfHalf * (stripRows / 2);

/** Of a vector: its difference from the mean, rotated at random, the length of that, and its product with the mean. */
export interface Rotated {
  readonly rotated: Float32Array;
  readonly length: number;
  readonly product: number;
}

/**
 * Writes the signs of a row, and the numbers that bound its product with a query, into the strips of its halves at these
 * addresses.
 */
export const writeStrips = (
  { bytes, floats }: { readonly bytes: Uint8Array; readonly floats: Float32Array },
  strips: readonly [number, number],
  row: number,
  { rotated, length, product }: Rotated,
): void => {
  const lane = row % 16;
  const shift = row & 16 ? 4 : 0;
  let sum = 0;
  for (let half = 0; half < 2; half += 1) {
    const strip = strips[half] ?? 0;
    for (let group = 0; group < groupsOfHalf; group += 1) {
      const first = (half * groupsOfHalf + group) * signsOfGroup;
      const address = strip + group * 16 + lane;
      bytes[address] = ((bytes[address] ?? 0) & ~(15 << shift)) | (signsFrom(rotated, first) << shift);
      sum += sizeFrom(rotated, first);
    }
    const { slope, margin } = boundOf(sum, length, (half + 1) * groupsOfHalf * signsOfGroup);
    const numbers = (strip + numbersOffset) / 4 + (row % stripRows);
    floats[numbers] = product;
    floats[numbers + stripRows] = slope;
    floats[numbers + 2 * stripRows] = margin;
  }
};

/**
 * With x of length 1, s its first `count` signs and 0 after them, A = x·s, and q of length 1: q = ρx + √(1 - ρ²)w with w
 * orthogonal to x, so q·s = ρA + √(1 - ρ²)w·s. Where w is of any direction w·s has the mean 0 and at most the deviation
 * √((count - A²) / 767).
 */
const boundOf = (sum: number, length: number, count: number) => {
  // With next to nothing in the half, only the lengths are a bound.
  if (sum <= 1e-6 * length) return { slope: 0, margin: length };
  const slope = (length * length) / sum;
  const deviation = Math.sqrt(Math.max(0, count - (sum / length) ** 2) / (embeddingDimension - 1));
  return { slope, margin: deviations * deviation * slope };
};

/** What the signs of a half, or of both, are worth to a query: a `step` for each in the sum, from `base` on. */
interface Worth {
  readonly step: number;
  readonly bases: readonly [number, number];
}

/** Writes what each four signs, in each of their 16 combinations, are worth to the query, in steps. */
export const writeWorths = (rotated: Float32Array, worths: Uint8Array): Worth => {
  const leasts = [0, 0];
  let [greatest, least] = [0, 0];
  for (let group = 0; group < groups; group += 1) {
    const size = sizeFrom(rotated, group * signsOfGroup);
    greatest = Math.max(greatest, 2 * size);
    least -= size;
    leasts[Math.floor(group / groupsOfHalf)] = least;
  }
  const step = greatest / stepsMax;
  const factor = step === 0 ? 0 : 1 / step;
  for (let group = 0; group < groups; group += 1) writeWorthsOf(rotated, group, factor, worths);
  // The deviation of the rounding is added: beside the real one, a fourteenth of it would do.
  const [ofHalf = 0, ofAll = 0] = leasts;
  const rounding = (count: number) => step * Math.sqrt(count / 12);
  return { step, bases: [ofHalf + rounding(groupsOfHalf), ofAll + rounding(groups)] };
};

/** Each combination is worth as much as the one without its lowest sign, less twice the number there. */
const writeWorthsOf = (rotated: Float32Array, group: number, factor: number, worths: Uint8Array): void => {
  const first = group * signsOfGroup;
  combinations[0] = sizeFrom(rotated, first);
  for (let i = 0; i < signsOfGroup; i += 1) combinations[0] += rotated[first + i] ?? 0;
  for (let signs = 1; signs < worthsOfGroup; signs += 1) {
    const lowest = 31 - Math.clz32(signs & -signs);
    combinations[signs] = (combinations[signs & (signs - 1)] ?? 0) - 2 * (rotated[first + lowest] ?? 0);
  }
  for (let signs = 0; signs < worthsOfGroup; signs += 1) {
    worths[group * worthsOfGroup + signs] = (combinations[signs] ?? 0) * factor + 0.5;
  }
};

const combinations = new Float64Array(worthsOfGroup);

const signsFrom = (rotated: Float32Array, first: number): number => {
  let signs = 0;
  for (let i = 0; i < signsOfGroup; i += 1) if ((rotated[first + i] ?? 0) < 0) signs |= 1 << i;
  return signs;
};

const sizeFrom = (rotated: Float32Array, first: number): number => {
  let size = 0;
  for (let i = 0; i < signsOfGroup; i += 1) size += Math.abs(rotated[first + i] ?? 0);
  return size;
};
