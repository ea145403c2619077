/** A median over spells, with the interval that holds it for 95 % of the resamples. */
export interface MedianEstimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

const resamples = 2_000;
const seed = 20_240_229;

export const medianOf = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5);

/**
 * The median of all values of all groups. Resamples the groups with replacement, and the values within each (Davison and
 * Hinkley, 1997, section 3.8): values of one group, such as spells of one process, may have more in common than others.
 * The same values always have the same interval.
 */
export const estimateMedianOfGroups = (groups: readonly (readonly number[])[]): MedianEstimate => {
  const random = randomNumbers();
  const drawn = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const medians = Float64Array.from({ length: resamples }, () =>
    medianOf(
      groups.flatMap(() => {
        const group = drawn(groups);
        return group.map(() => drawn(group));
      }),
    ),
  ).sort();
  return { median: medianOf(groups.flat()), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
};

/** The same of values that have nothing in common but what they measure. */
export const estimateMedian = (values: readonly number[]): MedianEstimate => estimateMedianOfGroups([values]);

/** Of sorted values, between two of them in proportion. NaN if there are none. */
export const quantile = (sorted: Float64Array, share: number): number => {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place - Math.floor(place));
};

/** From 0 to 1 (mulberry32), the same at every start. */
const randomNumbers = (): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
