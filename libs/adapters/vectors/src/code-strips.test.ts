import { embeddingDimension } from '@portico/domain';
import { expect, test } from 'vitest';
import { stripRows, worthBytes, writeCode, writeWorths } from './code-strips.ts';

const stripBytes = 1_920;

let state = 5;
const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const lengthOf = (vector: Float32Array): number => Math.hypot(...vector);
const productOf = (x: Float32Array, y: Float32Array): number =>
  x.reduce((sum, number, i) => sum + number * (y[i] ?? 0), 0);
const some = (): Float32Array => Float32Array.from({ length: embeddingDimension }, normal);

/** A strip, with what a query may have with the row at a place at most. */
const createStrip = () => {
  const buffer = new ArrayBuffer(stripBytes);
  const views = { bytes: new Uint8Array(buffer), floats: new Float32Array(buffer) };
  const worths = new Uint8Array(worthBytes);
  return {
    ...views,
    worths,
    write: (place: number, vector: Float32Array, product = 0) =>
      writeCode(views, 0, place, { rotated: vector, length: lengthOf(vector), product }),
    boundOf(place: number, query: Float32Array): number {
      const { step, base } = writeWorths(query, worths);
      let sum = 0;
      for (let group = 0; group < 96; group += 1) {
        const byte = views.bytes[group * 16 + (place % 16)] ?? 0;
        sum += worths[group * 16 + (place < 16 ? byte & 15 : byte >> 4)] ?? 0;
      }
      const [product = 0, slope = 0, margin = 0] = [0, 1, 2].map((i) => views.floats[384 + i * stripRows + place]);
      return product + slope * (step * sum + base) + margin * lengthOf(query);
    },
  };
};

test.each([-0.9, 0, 0.3, 0.9, 0.999])('vectors at the cosine %d are bounded from above, closely', (cosine) => {
  const strip = createStrip();
  const slacks = Array.from({ length: 1_000 }, (_, i) => {
    const [place, vector, other] = [i % stripRows, some(), some()];
    const factor = (cosine * lengthOf(other)) / lengthOf(vector);
    const query = other.map((x, at) => Math.sqrt(1 - cosine * cosine) * x + factor * (vector[at] ?? 0));
    strip.write(place, vector, 0.25);
    const slack = strip.boundOf(place, query) - 0.25 - productOf(vector, query);
    return slack / (lengthOf(vector) * lengthOf(query));
  });
  expect(Math.min(...slacks)).toBeGreaterThan(0);
  // Four deviations more than the truth on average, and one of the rounding.
  expect(slacks.reduce((sum, x) => sum + x, 0) / slacks.length).toBeCloseTo(4 * 0.0437 + 0.0074, 2);
});

test('a row is written beside others, and again over itself', () => {
  const strip = createStrip();
  const vectors = Array.from({ length: stripRows }, some);
  const query = some();
  const bounds = vectors.map((vector, place) => {
    strip.write(place, vector);
    return strip.boundOf(place, query);
  });
  const before = strip.bytes.slice();
  strip.write(20, some());
  expect(strip.bytes).not.toEqual(before);
  strip.write(20, vectors[20] ?? query);
  expect(strip.bytes).toEqual(before);
  expect(vectors.map((_, place) => strip.boundOf(place, query))).toEqual(bounds);
});

test('what has no direction is bounded by the product with the mean', () => {
  const strip = createStrip();
  const none = new Float32Array(embeddingDimension);
  strip.write(0, none, 0.5);
  strip.write(1, some(), 0.25);
  expect(strip.boundOf(0, some())).toBe(0.5);
  expect(strip.boundOf(1, none)).toBe(0.25);
});

test('what has a length but no size in any dimension, as numbers are rounded, is bounded by its length', () => {
  const strip = createStrip();
  writeCode(strip, 0, 17, { rotated: new Float32Array(embeddingDimension), length: 2, product: 0.5 });
  const query = some();
  expect(strip.boundOf(17, query)).toBeCloseTo(0.5 + 2 * lengthOf(query), 10);
});

test('what has the same size in each dimension is bounded, whatever is rounded', () => {
  const strip = createStrip();
  for (let i = 1; i <= 50; i += 1) {
    const vector = some().map((x) => Math.sign(x) * i * 0.07);
    strip.write(0, vector);
    const product = productOf(vector, vector);
    expect(strip.boundOf(0, vector)).toBeGreaterThanOrEqual(product);
    expect(strip.boundOf(0, vector)).toBeLessThan(1.5 * product);
  }
});

test('no worth has more than 15 steps, since sixteen are added in a byte', () => {
  const strip = createStrip();
  for (let i = 0; i < 50; i += 1) {
    strip.boundOf(
      0,
      some().map((x) => x * 10 ** (i - 25)),
    );
    expect(Math.max(...strip.worths)).toBe(15);
  }
});
