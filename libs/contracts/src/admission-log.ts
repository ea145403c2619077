import type { LimitRule, RateLimitResult } from '@portico/domain';

/**
 * The definition of a sliding window, the oracle for a limiter under any calls: records every admission of a subject
 * and counts them one by one. Times are whole microseconds.
 */
export class AdmissionLog {
  readonly #admissions: number[] = [];

  write(now: number): void {
    this.#admissions.push(now);
  }

  counted(now: number, { windowSeconds }: LimitRule): readonly number[] {
    return this.#admissions.filter((admittedAt) => now - admittedAt < windowSeconds * 1_000_000);
  }

  consume(now: number, rule: LimitRule): RateLimitResult {
    const admitted = this.counted(now, rule).length < rule.allowed;
    if (admitted) this.write(now);
    return { ...this.peek(now, rule), admitted };
  }

  peek(now: number, rule: LimitRule): RateLimitResult {
    const counted = this.counted(now, rule);
    const remaining = Math.max(0, rule.allowed - counted.length);
    const secondsUntilGone = (admittedAt = now): number =>
      Math.ceil((admittedAt + rule.windowSeconds * 1_000_000 - now) / 1_000_000);
    return {
      rule,
      admitted: remaining > 0,
      remaining,
      resetSeconds: counted.length > 0 ? secondsUntilGone(counted[0]) : 0,
      retryAfterSeconds: remaining > 0 ? 0 : secondsUntilGone(counted.at(-rule.allowed)),
    };
  }
}
