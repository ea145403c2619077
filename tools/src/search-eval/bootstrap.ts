import { createSeededRandom } from '../seeded-random.ts';

/** A mean over queries, with its 95 % bootstrap confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Difference extends Estimate {
  /** The two-sided p-value of the null hypothesis that there is no difference. */
  readonly p: number;
}

const resamples = 10_000;
const seed = 20_240_229;

/** Estimates a mean by resampling the values with replacement (Efron, 1979). The interval is deterministic. */
export const estimate = (values: readonly number[]): Estimate => {
  const means = resampleMeans(values);
  return { mean: mean(values), low: quantileOf(means, 0.025), high: quantileOf(means, 0.975) };
};

/**
 * Compares two rankers by their values for the same queries, in the same order. One is added to both counts for `p`, so
 * that `p` is never 0 (Davison and Hinkley, 1997, section 4.2).
 */
export const estimateDifference = (values: readonly number[], baseline: readonly number[]): Difference => {
  const differences = values.map((value, index) => value - (baseline[index] ?? 0));
  const means = resampleMeans(differences);
  const [nonPositiveCount, nonNegativeCount] = [means.filter((x) => x <= 0).length, means.filter((x) => x >= 0).length];
  return {
    mean: mean(differences),
    low: quantileOf(means, 0.025),
    high: quantileOf(means, 0.975),
    p: Math.min(1, (2 * (Math.min(nonPositiveCount, nonNegativeCount) + 1)) / (resamples + 1)),
  };
};

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the means of the resamples, sorted. */
const resampleMeans = (values: readonly number[]): Float64Array => {
  const random = createSeededRandom(seed);
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let count = 0; count < values.length; count++) sum += values[random.nextIntegerBelow(values.length)] ?? 0;
    return values.length === 0 ? 0 : sum / values.length;
  });
  return means.sort();
};

const quantileOf = (sorted: Float64Array, share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))] ?? 0;
