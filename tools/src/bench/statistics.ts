import { createDice } from '../dice.ts';

/** A median with its 95 % interval. */
export interface MedianEstimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

const resamples = 2_000;

/**
 * The median of all values of all groups. The bootstrap draws groups and the values within each (Davison and Hinkley,
 * 1997, section 3.8): samples of one process have more in common than others. The same values always have the same interval.
 */
export const estimateMedian = (groups: readonly (readonly number[])[]): MedianEstimate => {
  const dice = createDice(20_240_229);
  const medians = Float64Array.from({ length: resamples }, () =>
    medianOf(
      groups.flatMap(() => {
        const group = dice.one(groups);
        return group.map(() => dice.one(group));
      }),
    ),
  ).sort();
  return { median: medianOf(groups.flat()), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
};

export const medianOf = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5);

/** Of sorted values, between two of them in proportion. NaN if there are none. */
export const quantile = (sorted: Float64Array, share: number): number => {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place - Math.floor(place));
};
