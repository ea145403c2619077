import { readFileSync } from 'node:fs';
import { createOutage, type Log, type Outage } from '@portico/dependencies';
import type { LimitRule, Probe, RateLimitResult, RateLimiter } from '@portico/domain';
import { RedisRefusal, type RedisConnection } from './redis-connection.ts';

/** Says itself what it keeps. */
export const slidingWindowScript = readFileSync(new URL('sliding-window.lua', import.meta.url), 'utf8');

/** How long the fallback decides after Redis refused to count: it is not likely to change its mind at once. */
export const refusalPauseMs = 5_000;

export interface RedisRateLimiterOptions {
  readonly redis: Pick<RedisConnection, 'client' | 'ask' | 'probe'>;
  /** Counts while Redis does not; it never fails. */
  readonly fallback: RateLimiter;
  readonly log: Log;
  /** For tests: microseconds since 1970 in place of the server's clock. */
  readonly timeOfTests?: () => number;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Of the connection. Counts a request of nobody first, so that it says who decides when no caller comes either. */
  readonly probe: Probe;
}

/** In no caller's subject, which begins with what it is; it is let in again after a second. */
const nobody = 'check';
const checkRule: LimitRule = { allowed: 1, windowSeconds: 1 };

/**
 * Counts in Redis, for all processes together, by the server's clock: one script for each decision (`sliding-window.lua` says
 * what is kept). A key expires when the longest window that judged it has passed, and an eighth more.
 *
 * While Redis is away or refuses, the fallback decides, for each process alone and by the whole rule. No history is copied,
 * neither way: an outage can admit a subject's limit once more for each process. An answer that Redis gives too late can do so
 * for that one request. A process that is slow itself is no outage.
 */
export const createRedisRateLimiter = (options: RedisRateLimiterOptions): RedisRateLimiter => {
  options.redis.client.defineCommand('portico_limit', { lua: slidingWindowScript, numberOfKeys: 1 });
  const limiter = new Decisions(options);
  return {
    consume: (subject, rule) => limiter.decide('consume', subject, rule),
    peek: (subject, rule) => limiter.decide('peek', subject, rule),
    probe: {
      ...options.redis.probe,
      inFallback: () => limiter.isAlone,
      async check() {
        await limiter.decide('consume', nobody, checkRule);
        await options.redis.probe.check();
      },
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
  readonly #outage: Outage;
  /** How often the fallback has begun: an answer to what was asked before it did says nothing of Redis now. */
  #fallbacks = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, { back: 'Rate limits are counted by all processes together again' });
  }

  /** Whether the fallback decides. */
  get isAlone(): boolean {
    return this.#outage.kind !== null;
  }

  async decide(question: Question, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    if (this.isAlone && performance.now() < this.#pausedUntil) return this.#options.fallback[question](subject, rule);
    const fallbacks = this.#fallbacks;
    try {
      const result = await this.#ask(question, subject, rule);
      if (fallbacks === this.#fallbacks) this.#outage.end();
      return result;
    } catch (error) {
      if (error instanceof RedisRefusal) this.#pausedUntil = performance.now() + refusalPauseMs;
      if (!this.isAlone) this.#fallBack(error);
      return this.#options.fallback[question](subject, rule);
    }
  }

  #ask(question: Question, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    const { redis, timeOfTests } = this.#options;
    return redis.ask(async (client) => {
      const time = timeOfTests ? [timeOfTests()] : [];
      const { allowed, windowSeconds } = rule;
      const script = client as unknown as ScriptClient;
      return resultFrom(await script.portico_limit(limitKey(subject), allowed, windowSeconds, question, ...time), rule);
    });
  }

  #fallBack(error: unknown): void {
    this.#fallbacks++;
    const reason = error instanceof Error ? error.message : String(error);
    this.#outage.begin({ message: `Rate limits are counted by this process alone: ${reason}` });
  }
}

/** The 1 is the layout of the value: a new one gets a new key, so that two versions can run side by side. */
export const limitKey = (subject: string): string => `portico:limit:1:${subject}`;

const resultFrom = (answer: unknown, rule: LimitRule): RateLimitResult => {
  if (!Array.isArray(answer) || answer.length !== 4 || !answer.every(Number.isInteger)) {
    throw new Error('the answer is not that of the limiter');
  }
  const [admitted, remaining, resetSeconds, retryAfterSeconds] = answer as [number, number, number, number];
  return { rule, admitted: admitted === 1, remaining, resetSeconds, retryAfterSeconds };
};
