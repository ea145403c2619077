import type { LimitSource } from './effective-limit.ts';
import type { LimitRule } from './limit.ts';

/** A counted request, with the name of the policy that judged it. */
export interface CountedRequest extends RateLimitResult {
  readonly policy: LimitSource | 'anonymous' | 'failed-credentials';
}

/** What a limiter says about one subject at one moment; after a `consume`, with that request counted. */
export interface RateLimitResult {
  readonly rule: LimitRule;
  readonly admitted: boolean;
  /** Requests that would still be admitted now. */
  readonly remaining: number;
  /** Whole seconds until the oldest counted request leaves the window; 0 if none is counted. */
  readonly resetSeconds: number;
  /**
   * Whole seconds, at least 1, after which one request would be admitted if none came before; 0 if one would be
   * admitted now.
   */
  readonly retryAfterSeconds: number;
}
