export const similarity = (x: Float32Array, y: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < x.length; at++) sum += (x[at] ?? 0) * (y[at] ?? 0);
  return sum;
};

/** Returns the weighted sum, normalized to length 1; all zeros if there are no parts. */
export const blend = (
  dimension: number,
  parts: Iterable<{ readonly vector: Float32Array | undefined; readonly weight: number }>,
): Float32Array => {
  const sum = new Float64Array(dimension);
  for (const { vector, weight } of parts) {
    if (vector) for (let at = 0; at < dimension; at++) sum[at] = (sum[at] ?? 0) + weight * (vector[at] ?? 0);
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (x) => (length === 0 ? 0 : x / length));
};
