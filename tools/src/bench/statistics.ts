import { createSeededRandom } from '../seeded-random.ts';

/** A median with its 95 % confidence interval. */
export interface MedianEstimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

const resamples = 2_000;

/**
 * Estimates the median of all values in all groups. The bootstrap resamples the groups and the values within each
 * (Davison and Hinkley, 1997, section 3.8), because samples from one process are correlated. The interval is
 * deterministic.
 */
export const estimateMedian = (groups: readonly (readonly number[])[]): MedianEstimate => {
  const random = createSeededRandom(20_240_229);
  const medians = Float64Array.from({ length: resamples }, () =>
    medianOf(
      groups.flatMap(() => {
        const group = random.pick(groups);
        return group.map(() => random.pick(group));
      }),
    ),
  ).sort();
  return { median: medianOf(groups.flat()), low: quantileOf(medians, 0.025), high: quantileOf(medians, 0.975) };
};

export const medianOf = (values: readonly number[]): number => quantileOf(Float64Array.from(values).sort(), 0.5);

/** Returns a quantile of sorted values, with linear interpolation; NaN if there are no values. */
export const quantileOf = (sorted: Float64Array, share: number): number => {
  const position = share * (sorted.length - 1);
  const [lowerValue, upperValue] = [
    sorted[Math.floor(position)] ?? Number.NaN,
    sorted[Math.ceil(position)] ?? Number.NaN,
  ];
  return lowerValue + (upperValue - lowerValue) * (position - Math.floor(position));
};
