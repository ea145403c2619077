/** A seeded random number generator: the same seed produces the same catalog. */
export interface SeededRandom {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly fraction: () => number;
  /** Returns an integer from 0 up to, but not including, `end`. */
  readonly below: (end: number) => number;
  /** Picks the first elements most often: the hundredth is picked about a tenth as often as the first. */
  readonly skewed: <T>(from: readonly T[]) => T;
  readonly one: <T>(from: readonly T[]) => T;
  readonly uuid: <Id extends string>() => Id;
}

export const createSeededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0;
  // Mulberry32.
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(fraction() * end);
  const at = <T>(from: readonly T[], index: number): T => {
    if (from.length === 0) throw new Error('Cannot pick from an empty list');
    return from[Math.min(index, from.length - 1)] as T;
  };
  const digits = (count: number): string => Array.from({ length: count }, () => below(16).toString(16)).join('');
  return {
    fraction,
    below,
    skewed: (from) => at(from, Math.floor(from.length * fraction() ** 2)),
    one: (from) => at(from, below(from.length)),
    uuid: <Id extends string>() =>
      `${digits(8)}-${digits(4)}-4${digits(3)}-${'89ab'[below(4)] ?? '8'}${digits(3)}-${digits(12)}` as Id,
  };
};
