import { readFileSync } from 'node:fs';
import { createOutage, type Log, type Outage } from '@portico/dependencies';
import type { AskedLimit, LimitRule, ManyResults, Probe, RateLimitResult, RateLimiter } from '@portico/domain';
import { RedisRefusal, type RedisConnection } from './redis-connection.ts';

/** The script documents the data that it stores. */
export const slidingWindowScript = readFileSync(new URL('sliding-window.lua', import.meta.url), 'utf8');

/** How long the fallback decides after Redis refused to count: the cause is unlikely to go away sooner. */
export const refusalPauseMs = 5_000;

export interface RedisRateLimiterOptions {
  readonly redis: Pick<RedisConnection, 'client' | 'ask' | 'probe'>;
  /** The id of the installation, whose processes count together. */
  readonly installation: string;
  /** Counts while Redis cannot; it never fails. */
  readonly fallback: RateLimiter;
  readonly log: Log;
  /** For tests: milliseconds since 1970, in place of the server's clock. */
  readonly timeOfTests?: () => number;
}

export interface RedisRateLimiter extends RateLimiter {
  /** The connection's, and counts a request of its own first: PING says nothing of a right to count. */
  readonly probe: Probe;
}

/** Not a caller's subject, since those begin with their kind; admitted again after a second. */
const nobody = 'check';
const checkRule: LimitRule = { allowed: 1, windowSeconds: 1 };

/**
 * Counts in Redis, for all processes together and by the server's clock, with one script call per decision
 * (`sliding-window.lua` documents the data). A key expires with the longest window that judged it.
 *
 * While Redis is away or refuses, the fallback decides, per process and with the full limit. No history is copied in either
 * direction: an outage can admit a subject's limit once more per process. A reply that comes too late can do so for that one
 * request. A stall of this process is not an outage.
 */
export const createRedisRateLimiter = (options: RedisRateLimiterOptions): RedisRateLimiter => {
  options.redis.client.defineCommand('portico_limit', { lua: slidingWindowScript, numberOfKeys: 2 });
  const limiter = new Decisions(options);
  return {
    consume: (subject, rule) => limiter.decide('consume', subject, rule),
    peek: (subject, rule) => limiter.decide('peek', subject, rule),
    peekEach: (asked) => limiter.peekEach(asked),
    probe: {
      ...options.redis.probe,
      inFallback: () => limiter.isAlone,
      async check() {
        await limiter.decide('consume', nobody, checkRule);
        await options.redis.probe.check();
        if (limiter.isAlone) throw limiter.reason;
      },
    },
  };
};

/** A few milliseconds of Redis' time. */
const peeksAtOnce = 100;

type Question = 'consume' | 'peek';

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

class Decisions {
  readonly #options: RedisRateLimiterOptions;
  readonly #outage: Outage;
  /** How often the fallback has begun. A reply to a request sent before that says nothing about Redis now. */
  #fallbacks = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #reason = new Error('Redis was not asked yet');

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, { back: 'Rate limits are counted by all processes together again' });
  }

  /** Whether the fallback decides. */
  get isAlone(): boolean {
    return this.#outage.kind !== null;
  }

  /** Why it decides, or did last. */
  get reason(): Error {
    return this.#reason;
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
      this.#reason = error instanceof Error ? error : new Error(String(error));
      if (!this.isAlone) this.#fallBack(this.#reason);
      return this.#options.fallback[question](subject, rule);
    }
  }

  /** By one script call each, some at a time: Redis answers other callers in between. */
  async peekEach(asked: readonly AskedLimit[]): Promise<ManyResults> {
    const results: RateLimitResult[] = [];
    const fallbacks = this.#fallbacks;
    let isShared = true;
    for (let at = 0; at < asked.length; at += peeksAtOnce) {
      isShared &&= !this.isAlone;
      const some = asked.slice(at, at + peeksAtOnce);
      results.push(...(await Promise.all(some.map(({ subject, rule }) => this.decide('peek', subject, rule)))));
    }
    return { results, scope: isShared && !this.isAlone && fallbacks === this.#fallbacks ? 'all' : 'process' };
  }

  #ask(question: Question, subject: string, rule: LimitRule): Promise<RateLimitResult> {
    const { redis, installation, timeOfTests } = this.#options;
    return redis.ask(async (client) => {
      const time = timeOfTests ? [timeOfTests()] : [];
      const { allowed, windowSeconds } = rule;
      const script = client as unknown as ScriptClient;
      const { log, counts } = limitKeys(installation, subject);
      return resultFrom(await script.portico_limit(log, counts, allowed, windowSeconds, question, ...time), rule);
    });
  }

  #fallBack({ message }: Error): void {
    this.#fallbacks++;
    this.#outage.begin({ message: `Rate limits are counted by this process alone: ${message}` });
  }
}

/** The 2 is the version of the layout: a new layout gets new keys, so that two versions can run side by side. */
export const limitKeys = (
  installation: string,
  subject: string,
): { readonly log: string; readonly counts: string } => ({
  log: `portico:${installation}:limit:2:log:${subject}`,
  counts: `portico:${installation}:limit:2:counts:${subject}`,
});

const resultFrom = (answer: unknown, rule: LimitRule): RateLimitResult => {
  if (!Array.isArray(answer) || answer.length !== 4 || !answer.every(Number.isInteger)) {
    throw new Error('the reply is not that of the rate limit script');
  }
  const [admitted, remaining, resetSeconds, retryAfterSeconds] = answer as [number, number, number, number];
  return { rule, admitted: admitted === 1, remaining, resetSeconds, retryAfterSeconds };
};
