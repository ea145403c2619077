import type { LimitSource } from './effective-limit.ts';
import type { LimitRule } from './limit.ts';

/** A request that was counted, with the name of the policy that it was judged by. */
export interface CountedRequest extends RateLimitResult {
  readonly policy: LimitSource | 'anonymous' | 'failed-credentials';
}

/** What a limiter says of one subject at one moment; after a `consume`, with that request counted. */
export interface RateLimitResult {
  readonly rule: LimitRule;
  readonly admitted: boolean;
  /** Requests that would still be admitted now. */
  readonly remaining: number;
  /** Whole seconds until the oldest counted request leaves the window; 0 where none is counted. */
  readonly resetSeconds: number;
  /** Whole seconds, at least 1, after which one request would be admitted if none came before; 0 where one would be now. */
  readonly retryAfterSeconds: number;
}
