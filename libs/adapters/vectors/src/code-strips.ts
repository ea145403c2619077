import { embeddingDimension } from '@portico/domain';

/**
 * The codes of 32 rows, side by side, so that one instruction looks up what four bits of each of 16 rows are worth to a
 * query (as fast scans of quantized vectors do: André, Kermarrec, Le Scouarnec, 2015). Four bits say which of eight
 * dimensions is farthest from 0, and on which side: the nearest vertex of a cross-polytope (Andoni and others, 2015). A
 * row's product with the query is estimated from them without bias, and with a known deviation (RaBitQ: Gao, Long, 2024).
 */
export const stripRows = 32;

const dimensionsOfGroup = 8;
const groups = embeddingDimension / dimensionsOfGroup;
const codesOfGroup = 2 * dimensionsOfGroup;
export const worthBytes = groups * codesOfGroup;

/** Sixteen of them are added in a byte. */
const stepsMax = 15;

/** So far off an estimate may be, of a normal distribution. */
const deviations = 4;

/** In a strip, after its codes: a product, a slope and a margin of each row, as f32. */
const numbersOffset = groups * (stripRows / 2);

/** Of a vector: its difference from the mean, rotated at random, the length of that, and its product with the mean. */
export interface Rotated {
  readonly rotated: Float32Array;
  readonly length: number;
  readonly product: number;
}

/** Writes the code of a row, and the numbers that bound its product with a query, into a strip. */
export const writeCode = (
  { bytes, floats }: { readonly bytes: Uint8Array; readonly floats: Float32Array },
  strip: number,
  place: number,
  { rotated, length, product }: Rotated,
): void => {
  const [first, shift] = place < 16 ? [strip + place, 0] : [strip + place - 16, 4];
  let sum = 0;
  for (let group = 0; group < groups; group += 1) {
    let code = 0;
    let greatest = 0;
    for (let i = 0; i < dimensionsOfGroup; i += 1) {
      const x = rotated[group * dimensionsOfGroup + i] ?? 0;
      const size = Math.abs(x);
      if (size > greatest) {
        code = x < 0 ? i + dimensionsOfGroup : i;
        greatest = size;
      }
    }
    const address = first + group * 16;
    bytes[address] = ((bytes[address] ?? 0) & ~(15 << shift)) | (code << shift);
    sum += greatest;
  }
  const { slope, margin } = boundOf(sum, length);
  const numbers = (strip + numbersOffset) / 4 + place;
  floats[numbers] = product;
  floats[numbers + stripRows] = slope;
  floats[numbers + 2 * stripRows] = margin;
};

/**
 * With x of length 1, c its code, a 1 or -1 in each group and 0 elsewhere, A = x·c, and q of length 1: q = ρx + √(1 - ρ²)w
 * with w orthogonal to x, so q·c = ρA + √(1 - ρ²)w·c. Where w is of any direction w·c has the mean 0 and at most the
 * deviation √((groups - A²) / 767).
 */
const boundOf = (sum: number, length: number) => {
  if (sum === 0) return { slope: 0, margin: length };
  const slope = (length * length) / sum;
  const deviation = Math.sqrt(Math.max(0, groups - (sum / length) ** 2) / (embeddingDimension - 1));
  return { slope, margin: deviations * deviation * slope };
};

/** What codes are worth to a query: a `step` for each in the sum, from `base` on. */
interface Worth {
  readonly step: number;
  readonly base: number;
}

/** Writes what each code of each group is worth to the query, in steps. */
export const writeWorths = (rotated: Float32Array, worths: Uint8Array): Worth => {
  let greatest = 0;
  for (let i = 0; i < embeddingDimension; i += 1) greatest = Math.max(greatest, Math.abs(rotated[i] ?? 0));
  const step = (2 * greatest) / stepsMax;
  const factor = step === 0 ? 0 : 1 / step;
  for (let group = 0; group < groups; group += 1) {
    for (let i = 0; i < dimensionsOfGroup; i += 1) {
      const x = rotated[group * dimensionsOfGroup + i] ?? 0;
      worths[group * codesOfGroup + i] = (greatest + x) * factor + 0.5;
      worths[group * codesOfGroup + dimensionsOfGroup + i] = (greatest - x) * factor + 0.5;
    }
  }
  // The deviation of the rounding is added: beside the real one, a third of it would do.
  return { step, base: step * Math.sqrt(groups / 12) - groups * greatest };
};
