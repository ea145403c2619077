import type { LimitRule, RateLimitResult } from '@portico/domain';

/**
 * A sliding window that follows the definition literally: it records every admission of a subject and counts them one
 * by one. It is the oracle for a limiter under any sequence of calls. Times are in whole microseconds.
 */
export class AdmissionLog {
  readonly #admissions: number[] = [];

  record(now: number): void {
    this.#admissions.push(now);
  }

  admissionsInWindow(now: number, { windowSeconds }: LimitRule): readonly number[] {
    return this.#admissions.filter((admittedAt) => now - admittedAt < windowSeconds * 1_000_000);
  }

  consume(now: number, rule: LimitRule): RateLimitResult {
    const admitted = this.admissionsInWindow(now, rule).length < rule.allowed;
    if (admitted) this.record(now);
    return { ...this.peek(now, rule), admitted };
  }

  peek(now: number, rule: LimitRule): RateLimitResult {
    const admissions = this.admissionsInWindow(now, rule);
    const remaining = Math.max(0, rule.allowed - admissions.length);
    const secondsUntilExpired = (admittedAt = now): number =>
      Math.ceil((admittedAt + rule.windowSeconds * 1_000_000 - now) / 1_000_000);
    return {
      rule,
      admitted: remaining > 0,
      remaining,
      resetSeconds: admissions.length > 0 ? secondsUntilExpired(admissions[0]) : 0,
      retryAfterSeconds: remaining > 0 ? 0 : secondsUntilExpired(admissions.at(-rule.allowed)),
    };
  }
}
