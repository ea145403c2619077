import type { Clock } from '../../ports/clock.ts';

/**
 * Creates a function that returns the same result to every caller while the check is in progress, and for `ttlMs`
 * afterwards.
 */
export const shareResult = <Result>(
  clock: Pick<Clock, 'monotonic'>,
  ttlMs: number,
  check: () => Promise<Result>,
): (() => Promise<Result>) => {
  let result: Promise<Result> | null = null;
  let expiresAt = Number.POSITIVE_INFINITY;
  return () => {
    if (result && clock.monotonic() < expiresAt) return result;
    expiresAt = Number.POSITIVE_INFINITY;
    result = check().finally(() => {
      expiresAt = clock.monotonic() + ttlMs;
    });
    return result;
  };
};
