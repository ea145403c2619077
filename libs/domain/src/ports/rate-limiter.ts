import type { LimitRule } from '../limits/limit.ts';
import type { RateLimitResult } from '../limits/rate-limit-result.ts';

/**
 * Counts requests in a sliding window. Over any window of `windowSeconds` no more than `allowed` requests of a subject
 * are admitted, with all processes that share the limiter together: exactly so many up to a limit of 1,000; above that
 * it may refuse early, but admits at least 98 % of the limit. A request that is exactly one window old has left it. A subject
 * costs at most 8 KB, and may be forgotten once it has left every window that it was judged by.
 */
export interface RateLimiter {
  /**
   * Admits and counts a request, or refuses it and counts nothing. The history of a subject is kept when its rule
   * changes, and is judged by the new rule.
   */
  consume(subject: string, rule: LimitRule): Promise<RateLimitResult>;
  /** What `consume` would say, without counting: `remaining` is not reduced by it. */
  peek(subject: string, rule: LimitRule): Promise<RateLimitResult>;
}
