import type { LimiterScope, LimitRule, RateLimitResult } from '../limits/limit.ts';

/**
 * Counts requests in a sliding window. In any window of `windowSeconds` it admits no more than `allowed` requests of a
 * subject, counted over all processes that share the limiter: exactly that many up to a limit of 1,000; above that it
 * may refuse early, but admits at least 98 % of the limit. A request that is exactly one window old no longer counts. A
 * subject costs at most 8 KB, and may be forgotten once it has left every window that it was judged by.
 */
export interface RateLimiter {
  /** Admits and counts a request, or refuses it and counts nothing. A new rule applies to the subject's kept history. */
  consume(subject: string, rule: LimitRule): Promise<RateLimitResult>;
  /** Returns what `consume` would, without counting: `remaining` is not reduced. */
  peek(subject: string, rule: LimitRule): Promise<RateLimitResult>;
  /**
   * Returns what `peek` would for each, in their order: thousands at once, without keeping others waiting. Says whether
   * all of it was counted over all processes, or some of it in this one alone.
   */
  peekEach(asked: readonly AskedLimit[]): Promise<ManyResults>;
}

/** A subject, and the rule that it is judged by. */
export interface AskedLimit {
  readonly subject: string;
  readonly rule: LimitRule;
}

export interface ManyResults {
  readonly results: readonly RateLimitResult[];
  readonly scope: LimiterScope;
}
