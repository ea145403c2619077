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

  listAdmissionsInWindow(now: number, { windowSeconds }: LimitRule): readonly number[] {
    return this.#admissions.filter((admittedAt) => now - admittedAt < windowSeconds * 1_000_000);
  }

  consume(now: number, rule: LimitRule): RateLimitResult {
    const isAdmitted = this.listAdmissionsInWindow(now, rule).length < rule.allowed;
    if (isAdmitted) this.record(now);
    return { ...this.peek(now, rule), isAdmitted };
  }

  peek(now: number, rule: LimitRule): RateLimitResult {
    const admissions = this.listAdmissionsInWindow(now, rule);
    const remaining = Math.max(0, rule.allowed - admissions.length);
    const computeSecondsUntilExpired = (admittedAt = now): number =>
      Math.ceil((admittedAt + rule.windowSeconds * 1_000_000 - now) / 1_000_000);
    return {
      rule,
      isAdmitted: remaining > 0,
      remaining,
      resetSeconds: admissions.length > 0 ? computeSecondsUntilExpired(admissions[0]) : 0,
      retryAfterSeconds: remaining > 0 ? 0 : computeSecondsUntilExpired(admissions.at(-rule.allowed)),
    };
  }
}
