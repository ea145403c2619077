import type { LimiterScope, LimitRule, RateLimitResult } from '../limits/limit.ts';

/**
 * Counts requests in a sliding window. In any window of `windowSeconds`, it admits at most `allowed` requests from a
 * subject, counted across all processes that share the limiter: exactly that many up to a limit of 1,000; above that,
 * it may reject early, but admits at least 98 % of the limit. A request that is exactly one window old no longer
 * counts. A subject takes up at most 8 KB, and may be forgotten once it has left every window that it was checked
 * against.
 */
export interface RateLimiter {
  /**
   * Admits and counts a request, or rejects it without counting it. A new rule applies to the subject's existing
   * history.
   */
  consume(subject: string, rule: LimitRule): Promise<RateLimitResult>;
  /** Returns the result that `consume` would return, without counting: `remaining` is not reduced. */
  peek(subject: string, rule: LimitRule): Promise<RateLimitResult>;
  /**
   * Returns the result that `peek` would return for each query, in the same order. Handles thousands of queries in one
   * call without blocking other work. Also returns whether all subjects were counted across all processes, or some of
   * them in this process alone.
   */
  peekMany(queries: readonly RateLimitQuery[]): Promise<RateLimitResults>;
}

/** A subject, and the rule that it is checked against. */
export interface RateLimitQuery {
  readonly subject: string;
  readonly rule: LimitRule;
}

export interface RateLimitResults {
  readonly results: readonly RateLimitResult[];
  readonly scope: LimiterScope;
}
