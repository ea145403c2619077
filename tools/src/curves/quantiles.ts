/**
 * The least of the values that at least this share of them does not exceed (nearest rank): a value that was measured,
 * never one between two. NaN without values.
 */
export const quantile = (values: ArrayLike<number>, share: number): number => {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

export const median = (values: ArrayLike<number>): number => quantile(values, 0.5);
