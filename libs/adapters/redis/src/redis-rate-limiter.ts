import type { LimitRule, RateLimitResult, RateLimiter } from '@portico/domain';
import { RedisRefusal, type RedisConnection } from './redis-connection.ts';
import { slidingWindowScript } from './sliding-window-script.ts';

/** So long the fallback decides after Redis refused to count, for it is not likely to change its mind at once. */
export const refusalPauseMs = 5_000;

export interface RedisRateLimiterOptions {
  readonly redis: Pick<RedisConnection, 'client' | 'ask'>;
  /** Counts while Redis does not; it never fails. */
  readonly fallback: RateLimiter;
  readonly warn: (message: string) => void;
  /** Told when the fallback begins to decide (true), and when Redis does again. */
  readonly onFallback?: (active: boolean) => void;
  /** For tests: microseconds since 1970 in place of the server's clock. */
  readonly timeOfTests?: () => number;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Counts a request of nobody, so that `onFallback` is told who decides when no caller comes either. */
  check(): Promise<void>;
}

/** In no caller's subject, which begins with what it is; it is let in again after a second. */
const nobody = 'check';
const checkRule: LimitRule = { allowed: 1, windowSeconds: 1 };

/**
 * Counts in Redis, for all processes together, by the server's clock: one script for each decision
 * (`sliding-window-script.ts` says what is kept). A key is gone by itself when the longest window that it was judged by
 * has passed, and an eighth more.
 *
 * While Redis is away, or refuses, the fallback decides: each process by itself, by the whole rule. Neither history is
 * copied into the other, neither when Redis goes nor when it returns: what the fallback admitted is not held against a
 * subject afterwards, and what Redis had counted before is, unless it lost it. So an outage can let a subject through
 * once more for each process, and so can, for that one request, an answer that Redis was too slow to give in time. A
 * process that is slow itself is no outage.
 */
export const createRedisRateLimiter = (options: RedisRateLimiterOptions): RedisRateLimiter => {
  options.redis.client.defineCommand('portico_limit', { lua: slidingWindowScript, numberOfKeys: 1 });
  const limiter = new Decisions(options);
  return {
    consume: (subject, rule) => limiter.decide('consume', subject, rule),
    peek: (subject, rule) => limiter.decide('peek', subject, rule),
    async check() {
      await limiter.decide('consume', nobody, checkRule);
    },
  };
};

type Question = 'consume' | 'peek';

/** The client with the script. */
interface ScriptClient {
  portico_limit(key: string, allowed: number, windowSeconds: number, ...rest: (string | number)[]): Promise<unknown>;
}

class Decisions {
  readonly #options: RedisRateLimiterOptions;
  #isAlone = false;
  /** How often the fallback has begun: an answer to what was asked before it did says nothing of Redis now. */
  #fallbacks = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
  }

  async decide(question: Question, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    if (this.#isAlone && performance.now() < this.#pausedUntil) return this.#options.fallback[question](subject, rule);
    const fallbacks = this.#fallbacks;
    try {
      const quota = await this.#ask(question, subject, rule);
      if (this.#isAlone && fallbacks === this.#fallbacks) this.#returnToRedis();
      return quota;
    } catch (error) {
      if (error instanceof RedisRefusal) this.#pausedUntil = performance.now() + refusalPauseMs;
      if (!this.#isAlone) this.#fallBack(error);
      return this.#options.fallback[question](subject, rule);
    }
  }

  #ask(question: Question, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    const { redis, timeOfTests } = this.#options;
    return redis.ask(async (client) => {
      const time = timeOfTests ? [timeOfTests()] : [];
      const { allowed, windowSeconds } = rule;
      const script = client as unknown as ScriptClient;
      return quotaFrom(await script.portico_limit(limitKey(subject), allowed, windowSeconds, question, ...time), rule);
    });
  }

  #fallBack(error: unknown): void {
    this.#isAlone = true;
    this.#fallbacks++;
    const reason = error instanceof Error ? error.message : 'for an unknown reason';
    this.#options.warn(`Rate limits are counted by this process alone: ${reason}`);
    this.#options.onFallback?.(true);
  }

  #returnToRedis(): void {
    this.#isAlone = false;
    this.#options.warn('Rate limits are counted by all processes together again');
    this.#options.onFallback?.(false);
  }
}

/** The 1 is the layout of the value: a new one gets a new key, so that two versions can run side by side. */
export const limitKey = (subject: string): string => `portico:limit:1:${subject}`;

const quotaFrom = (answer: unknown, rule: LimitRule): RateLimitResult => {
  if (!Array.isArray(answer) || answer.length !== 4 || !answer.every(Number.isInteger)) {
    throw new Error('the answer is not that of the limiter');
  }
  const [admitted, remaining, resetSeconds, retryAfterSeconds] = answer as [number, number, number, number];
  return { rule, admitted: admitted === 1, remaining, resetSeconds, retryAfterSeconds };
};
