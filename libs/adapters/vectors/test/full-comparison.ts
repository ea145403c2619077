import type { HybridVector } from '@portico/domain';

const valueAt = (numbers: ArrayLike<number>, position: number): number => numbers[position] ?? 0;
const { fround } = Math;

/** Returns the sum of four 32-bit lanes, added in the same order as in `kernel.wat`. */
const sumLanes = (lanes: Float32Array): number =>
  fround(fround(valueAt(lanes, 0) + valueAt(lanes, 2)) + fround(valueAt(lanes, 1) + valueAt(lanes, 3)));

export const toUnit = (vector: Float32Array): Float32Array => {
  const factor = 1 / Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return vector.map((x) => x * factor);
};

/** Returns the score of two unit vectors. */
export const computeFullScore = (query: Float32Array, vector: Float32Array): number =>
  fround(
    Math.min(
      1,
      Math.max(
        0,
        query.reduce((sum, x, i) => sum + x * valueAt(vector, i), 0),
      ),
    ),
  );

/** Returns the similarity of a question to an operation whose vector is `levels` times `scale`. */
export const computeFullSimilarity = (
  { dense, sparse }: HybridVector,
  levels: Int8Array,
  scale: number,
  features: ReadonlyMap<number, number>,
): number => {
  const greatest = dense.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  const levelMax = Math.min(32_767, Math.floor(0x7fff_ffff / (127 * (dense.length / 4))));
  const sums = new Float64Array(8);
  for (let i = 0; i < dense.length; i += 1) {
    const level = greatest === 0 ? 0 : Math.round((valueAt(dense, i) * levelMax) / greatest);
    const lane = (i % 16) >> 1;
    sums[lane] = valueAt(sums, lane) + level * valueAt(levels, i);
  }
  const lanes = Float32Array.from(
    { length: 4 },
    (_, lane) => fround(valueAt(sums, lane)) + fround(valueAt(sums, lane + 4)),
  );
  const product = fround(fround(greatest / levelMax) * sumLanes(lanes));
  let similarity = fround(scale * product);
  for (const [i, feature] of sparse.indices.entries()) {
    const weight = features.get(feature);
    if (weight !== undefined) similarity = fround(similarity + valueAt(sparse.weights, i) * weight);
  }
  return similarity;
};
