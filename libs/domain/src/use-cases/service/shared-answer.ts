import type { Clock } from '../../ports/clock.ts';

/** Gives every caller the same answer while the check is under way, and for `keptMs` after it. */
export const sharedAnswer = <Answer>(
  clock: Pick<Clock, 'monotonic'>,
  keptMs: number,
  ask: () => Promise<Answer>,
): (() => Promise<Answer>) => {
  let answer: Promise<Answer> | null = null;
  let keptUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (answer && clock.monotonic() < keptUntil) return answer;
    keptUntil = Number.POSITIVE_INFINITY;
    answer = ask().finally(() => {
      keptUntil = clock.monotonic() + keptMs;
    });
    return answer;
  };
};
