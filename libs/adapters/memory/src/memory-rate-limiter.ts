import type { Clock, LimitRule, RateLimitResult, RateLimiter } from '@portico/domain';

/** The longest window that a rule may have (specification, section 7). */
const windowMsMax = 2_678_400_000;

/**
 * The definition of a sliding window, as slow as it is plain: every admission of a subject is written down, and a
 * request is admitted while fewer than `allowed` of them are younger than the window. One that is exactly as old as the
 * window has left it.
 */
export const createMemoryRateLimiter = (clock: Pick<Clock, 'monotonic'>): RateLimiter => {
  const admissions = new Map<string, readonly number[]>();

  const countedAt = (now: number, subject: string, windowMs: number): readonly number[] =>
    (admissions.get(subject) ?? []).filter((admittedAt) => now - admittedAt < windowMs);

  return {
    async consume(subject, rule) {
      const now = clock.monotonic();
      const counted = countedAt(now, subject, rule.windowSeconds * 1000);
      const admitted = counted.length < rule.allowed;
      if (!admitted) return quotaOf(rule, false, counted, now);
      admissions.set(subject, [...countedAt(now, subject, windowMsMax), now]);
      return quotaOf(rule, true, [...counted, now], now);
    },

    async peek(subject, rule) {
      const now = clock.monotonic();
      const counted = countedAt(now, subject, rule.windowSeconds * 1000);
      return quotaOf(rule, counted.length < rule.allowed, counted, now);
    },
  };
};

const quotaOf = (rule: LimitRule, admitted: boolean, counted: readonly number[], now: number): RateLimitResult => {
  const secondsUntilGone = (admittedAt: number | undefined): number =>
    admittedAt === undefined ? 0 : Math.ceil((admittedAt + rule.windowSeconds * 1000 - now) / 1000);
  const remaining = Math.max(0, rule.allowed - counted.length);
  return {
    rule,
    admitted,
    remaining,
    resetSeconds: secondsUntilGone(counted[0]),
    retryAfterSeconds: remaining > 0 ? 0 : secondsUntilGone(counted.at(-rule.allowed)),
  };
};
