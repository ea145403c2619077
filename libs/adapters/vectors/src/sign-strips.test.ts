import { embeddingDimension } from '@portico/domain';
import { expect, test } from 'vitest';
import { stripRows, worthBytes, writeStrips, writeWorths } from './sign-strips.ts';

const stripBytes = 2_048;

let state = 5;
const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const lengthOf = (vector: Float32Array): number => Math.hypot(...vector);
const productOf = (x: Float32Array, y: Float32Array): number =>
  x.reduce((sum, number, i) => sum + number * (y[i] ?? 0), 0);
const rotatedOf = (rotated: Float32Array, product = 0) => ({ rotated, length: lengthOf(rotated), product });
const some = (): Float32Array => Float32Array.from({ length: embeddingDimension }, normal);

/** Two strips, with what a query may have with row `row` at most: by half its signs, and by all. */
const createStrips = () => {
  const buffer = new ArrayBuffer(2 * stripBytes);
  const views = { bytes: new Uint8Array(buffer), floats: new Float32Array(buffer) };
  const worths = new Uint8Array(worthBytes);
  return {
    ...views,
    worths,
    write: (row: number, vector: Float32Array, product = 0) =>
      writeStrips(views, [0, stripBytes], row, rotatedOf(vector, product)),
    boundsOf(row: number, query: Float32Array): readonly number[] {
      const { step, bases } = writeWorths(query, worths);
      const length = lengthOf(query);
      let sum = 0;
      return bases.map((base, half) => {
        for (let group = 0; group < 96; group += 1) {
          const byte = views.bytes[half * stripBytes + group * 16 + (row % 16)] ?? 0;
          sum += worths[(half * 96 + group) * 16 + (row & 16 ? byte >> 4 : byte & 15)] ?? 0;
        }
        const [product = 0, slope = 0, margin = 0] = [0, 1, 2].map(
          (i) => views.floats[(half * stripBytes + 1_536) / 4 + i * stripRows + (row % stripRows)],
        );
        return product + slope * (step * sum + base) + margin * length;
      });
    },
  };
};

test.each([0, 0.3, 0.9, 0.999])(
  'vectors at the cosine %d are bounded from above, by all signs closer than by half',
  (cosine) => {
    const strips = createStrips();
    const [slacks, closer]: [number[], number[]] = [[], []];
    for (let i = 0; i < 300; i += 1) {
      const [row, vector, other] = [i % stripRows, some(), some()];
      const own = cosine * lengthOf(other);
      const factor = own / lengthOf(vector);
      const query = other.map((x, at) => Math.sqrt(1 - cosine * cosine) * x + factor * (vector[at] ?? 0));
      strips.write(row, vector, 0.25);
      const scale = lengthOf(vector) * lengthOf(query);
      const [byHalf = 0, byAll = 0] = strips
        .boundsOf(row, query)
        .map((bound) => bound - 0.25 - productOf(vector, query));
      slacks.push(byHalf / scale);
      closer.push(byAll / scale);
    }
    // Four deviations more than the truth on average, and never less than it.
    const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    expect(Math.min(...slacks, ...closer)).toBeGreaterThan(0);
    expect(meanOf(slacks)).toBeCloseTo(4 * 0.0529, 1);
    expect(meanOf(closer)).toBeCloseTo(4 * 0.0273, 1);
    expect(meanOf(slacks)).toBeGreaterThan(1.7 * meanOf(closer));
  },
);

test('a row is written beside others, and again over itself', () => {
  const strips = createStrips();
  const vectors = Array.from({ length: stripRows }, some);
  const query = some();
  const bounds = vectors.map((vector, row) => {
    strips.write(row, vector);
    return strips.boundsOf(row, query);
  });
  const before = strips.bytes.slice();
  strips.write(20, some());
  expect(strips.bytes).not.toEqual(before);
  strips.write(20, vectors[20] ?? query);
  expect(strips.bytes).toEqual(before);
  expect(vectors.map((_, row) => strips.boundsOf(row, query))).toEqual(bounds);
});

test.each([0, 1e-30, 1e-9])('what has no direction, or but %d in the half, is bounded by its length', (little) => {
  const strips = createStrips();
  const [none, last] = [new Float32Array(embeddingDimension), new Float32Array(embeddingDimension)];
  last[3] = little;
  last[767] = 2;
  for (const [row, vector] of [none, last].entries()) strips.write(row, vector);
  const query = last.map((x) => 3 * x);
  expect(strips.boundsOf(0, query)).toEqual([0, 0]);
  const [byHalf = 0, byAll = 0] = strips.boundsOf(1, query);
  expect(byHalf).toBe(12);
  expect(byAll).toBeGreaterThanOrEqual(12);
  expect(strips.boundsOf(1, none)).toEqual([0, 0]);
});

test('what has the same size in each dimension is bounded closely, whatever is rounded', () => {
  const strips = createStrips();
  for (let i = 1; i <= 50; i += 1) {
    const vector = some().map((x) => Math.sign(x) * i * 0.07);
    strips.write(0, vector);
    const [, byAll = 0] = strips.boundsOf(0, vector);
    const product = productOf(vector, vector);
    expect(byAll).toBeGreaterThanOrEqual(product);
    expect(byAll).toBeLessThan(1.1 * product);
  }
});
