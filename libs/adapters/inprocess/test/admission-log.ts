import type { LimitRule, Quota } from '@portico/domain';

/** The definition of a sliding window: every admission is written down, in milliseconds, and they are counted by hand. */
export class AdmissionLog {
  readonly #admissions: number[] = [];

  write(now: number): void {
    this.#admissions.push(now);
  }

  counted(now: number, { windowSeconds }: LimitRule): readonly number[] {
    return this.#admissions.filter((admittedAt) => now - admittedAt < windowSeconds * 1000);
  }

  take(now: number, rule: LimitRule): Quota {
    const admitted = this.counted(now, rule).length < rule.allowed;
    if (admitted) this.write(now);
    return { ...this.peek(now, rule), admitted };
  }

  peek(now: number, rule: LimitRule): Quota {
    const counted = this.counted(now, rule);
    const remaining = Math.max(0, rule.allowed - counted.length);
    const secondsUntilGone = (admittedAt = now): number =>
      Math.ceil((admittedAt + rule.windowSeconds * 1000 - now) / 1000);
    return {
      rule,
      admitted: remaining > 0,
      remaining,
      resetSeconds: counted.length > 0 ? secondsUntilGone(counted[0]) : 0,
      retryAfterSeconds: remaining > 0 ? 0 : secondsUntilGone(counted.at(-rule.allowed)),
    };
  }
}
