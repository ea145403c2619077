export const computeSimilarity = (x: Float32Array, y: Float32Array): number => {
  let sum = 0;
  for (let index = 0; index < x.length; index++) sum += (x[index] ?? 0) * (y[index] ?? 0);
  return sum;
};

/** Returns the weighted sum, normalized to length 1; all zeros if there are no parts. */
export const blend = (
  dimension: number,
  parts: Iterable<{ readonly vector: Float32Array | undefined; readonly weight: number }>,
): Float32Array => {
  const sum = new Float64Array(dimension);
  for (const { vector, weight } of parts) {
    if (vector)
      for (let index = 0; index < dimension; index++) sum[index] = (sum[index] ?? 0) + weight * (vector[index] ?? 0);
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (x) => (length === 0 ? 0 : x / length));
};
