/** A seeded random number generator: the same seed produces the same catalog. */
export interface SeededRandom {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly nextFraction: () => number;
  /** Returns an integer from 0 up to, but not including, `end`. */
  readonly nextIntegerBelow: (end: number) => number;
  /** Picks the first elements most often: the hundredth is picked about a tenth as often as the first. */
  readonly pickSkewed: <T>(list: readonly T[]) => T;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly nextUuid: <Id extends string>() => Id;
}

export const createSeededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0;
  // Mulberry32.
  const nextFraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const nextIntegerBelow = (end: number): number => Math.floor(nextFraction() * end);
  const elementAt = <T>(list: readonly T[], index: number): T => {
    if (list.length === 0) throw new Error('Cannot pick from an empty list');
    return list[Math.min(index, list.length - 1)] as T;
  };
  const createHexDigits = (count: number): string =>
    Array.from({ length: count }, () => nextIntegerBelow(16).toString(16)).join('');
  return {
    nextFraction,
    nextIntegerBelow,
    pickSkewed: (list) => elementAt(list, Math.floor(list.length * nextFraction() ** 2)),
    pick: (list) => elementAt(list, nextIntegerBelow(list.length)),
    nextUuid: <Id extends string>() =>
      `${createHexDigits(8)}-${createHexDigits(4)}-4${createHexDigits(3)}-${'89ab'[nextIntegerBelow(4)] ?? '8'}${createHexDigits(3)}-${createHexDigits(12)}` as Id,
  };
};
