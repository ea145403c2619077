import { readFileSync } from 'node:fs';
import { createOutage, type Log, type Outage } from '@portico/dependencies';
import type { RateLimitQuery, LimitRule, RateLimitResults, Probe, RateLimitResult, RateLimiter } from '@portico/domain';
import { RedisReplyError, type RedisConnection } from './redis-connection.ts';

/** The source of the Lua script, which documents the data that it stores. */
export const slidingWindowScript = readFileSync(new URL('sliding-window.lua', import.meta.url), 'utf8');

/** How long only the fallback decides after Redis has rejected the script: the cause is unlikely to disappear sooner. */
export const replyErrorPauseMs = 5_000;

export interface RedisRateLimiterOptions {
  readonly redis: Pick<RedisConnection, 'client' | 'run' | 'probe'>;
  /** The id of the installation, whose processes count together. */
  readonly installation: string;
  /** The limiter that counts while Redis cannot. It never fails. */
  readonly fallback: RateLimiter;
  readonly log: Log;
  /** For tests: returns the time in milliseconds since 1970, used instead of the server's clock. */
  readonly getTestTime?: () => number;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Counts a request, then runs the connection's probe: PING does not prove the permission to count. */
  readonly probe: Probe;
}

/**
 * The subject of the probe's requests. It is never a caller's subject, because those begin with their kind. The rule
 * admits the next request after a second.
 */
const checkSubject = 'check';
const checkRule: LimitRule = { allowed: 1, windowSeconds: 1 };

/**
 * Creates a limiter that counts in Redis, for all processes together and by the server's clock, with one script call
 * per decision (`sliding-window.lua` documents the data). A key expires with the longest window that was evaluated for
 * it.
 *
 * While Redis is unavailable or rejects the script, the fallback decides, per process and with the full limit. No history
 * is copied in either direction, so during an outage each process can admit a subject's limit once more. A late reply
 * can have this effect for its own request. A stall of this process is not an outage.
 */
export const createRedisRateLimiter = (options: RedisRateLimiterOptions): RedisRateLimiter => {
  options.redis.client.defineCommand('portico_limit', { lua: slidingWindowScript, numberOfKeys: 2 });
  const limiter = new FallbackLimiter(options);
  return {
    consume: (subject, rule) => limiter.decide('consume', subject, rule),
    peek: (subject, rule) => limiter.decide('peek', subject, rule),
    peekMany: (queries) => limiter.peekMany(queries),
    probe: {
      ...options.redis.probe,
      inFallback: () => limiter.isFallback,
      async check() {
        await limiter.decide('consume', checkSubject, checkRule);
        await options.redis.probe.check();
        if (limiter.isFallback) throw limiter.reason;
      },
    },
  };
};

/** The number of queries per batch. A batch occupies Redis for a few milliseconds. */
const peekBatchSize = 100;

type Operation = 'consume' | 'peek';

/** The client, with the script defined as a command. */
interface ScriptClient {
  portico_limit(
    log: string,
    counts: string,
    allowed: number,
    windowSeconds: number,
    ...rest: (string | number)[]
  ): Promise<unknown>;
}

class FallbackLimiter {
  readonly #options: RedisRateLimiterOptions;
  readonly #outage: Outage;
  /**
   * The number of times that the fallback has begun. A reply to a request sent before the latest time does not show
   * that Redis is available again.
   */
  #fallbackCount = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #reason = new Error('Redis was not queried yet');

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, {
      recoveryMessage: 'Rate limits are counted by all processes together again',
    });
  }

  /** Whether the fallback decides. */
  get isFallback(): boolean {
    return this.#outage.kind !== null;
  }

  /** The reason the fallback decides, or last decided. */
  get reason(): Error {
    return this.#reason;
  }

  async decide(operation: Operation, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    if (this.isFallback && performance.now() < this.#pausedUntil)
      return this.#options.fallback[operation](subject, rule);
    const fallbackCount = this.#fallbackCount;
    try {
      const result = await this.#decideInRedis(operation, subject, rule);
      if (fallbackCount === this.#fallbackCount) this.#outage.end();
      return result;
    } catch (error) {
      if (error instanceof RedisReplyError) this.#pausedUntil = performance.now() + replyErrorPauseMs;
      this.#reason = error instanceof Error ? error : new Error(String(error));
      if (!this.isFallback) this.#fallBack(this.#reason);
      return this.#options.fallback[operation](subject, rule);
    }
  }

  /** Makes one script call per query, in batches, so that Redis can serve other callers in between. */
  async peekMany(queries: readonly RateLimitQuery[]): Promise<RateLimitResults> {
    const results: RateLimitResult[] = [];
    const fallbackCount = this.#fallbackCount;
    let isShared = true;
    for (let start = 0; start < queries.length; start += peekBatchSize) {
      isShared &&= !this.isFallback;
      const batch = queries.slice(start, start + peekBatchSize);
      results.push(...(await Promise.all(batch.map(({ subject, rule }) => this.decide('peek', subject, rule)))));
    }
    return {
      results,
      scope: isShared && !this.isFallback && fallbackCount === this.#fallbackCount ? 'all' : 'process',
    };
  }

  #decideInRedis(operation: Operation, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    const { redis, installation, getTestTime } = this.#options;
    return redis.run(async (client) => {
      const time = getTestTime ? [getTestTime()] : [];
      const { allowed, windowSeconds } = rule;
      const script = client as unknown as ScriptClient;
      const { log, counts } = limitKeys(installation, subject);
      return resultFrom(await script.portico_limit(log, counts, allowed, windowSeconds, operation, ...time), rule);
    });
  }

  #fallBack({ message }: Error): void {
    this.#fallbackCount++;
    this.#outage.start({ message: `Rate limits are counted by this process alone: ${message}` });
  }
}

/**
 * Returns the Redis keys of a subject. The 2 is the version of the layout. A new layout needs new keys, so that two
 * versions can run simultaneously.
 */
export const limitKeys = (
  installation: string,
  subject: string,
): { readonly log: string; readonly counts: string } => ({
  log: `portico:${installation}:limit:2:log:${subject}`,
  counts: `portico:${installation}:limit:2:counts:${subject}`,
});

const resultFrom = (reply: unknown, rule: LimitRule): RateLimitResult => {
  if (!Array.isArray(reply) || reply.length !== 4 || !reply.every(Number.isInteger)) {
    throw new Error('the reply is not from the rate limit script');
  }
  const [admitted, remaining, resetSeconds, retryAfterSeconds] = reply as [number, number, number, number];
  return { rule, isAdmitted: admitted === 1, remaining, resetSeconds, retryAfterSeconds };
};
