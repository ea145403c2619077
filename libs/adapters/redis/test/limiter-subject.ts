import { recordLog } from '@portico/contracts';
import type { RateLimiter } from '@portico/domain';
import { openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter, limitKey } from '../src/redis-rate-limiter.ts';

/** The time limit of a command where a test is about counting and the machine may be busy. */
export const patientMs = 20_000;

/** A limiter that no test may need: the one of Redis must have decided. */
export const noFallback: RateLimiter = {
  consume: () => Promise.reject(new Error('The fallback was asked')),
  peek: () => Promise.reject(new Error('The fallback was asked')),
};

/**
 * Limiters on one connection whose clock stands still until it is moved; each has names of its own. Redis forgets by its
 * own clock all the same, so that a short window alone may be gone while a test on a busy machine still counts in it.
 */
export const createSubjects = async (url: string) => {
  const log = recordLog();
  const redis = await openRedis({ url, log, timeoutMs: patientMs });
  let now = Date.UTC(2026, 0, 1) * 1000 + 123_457;
  let made = 0;
  const shared = createRedisRateLimiter({
    redis,
    fallback: noFallback,
    log,
    timeOfTests: () => now,
  });
  return {
    client: redis.client,
    warnings: log.messages,
    /** Microseconds of the time that the limiters see. */
    now: () => now,
    setNow: (microseconds: number) => {
      now = microseconds;
    },
    next: () => {
      const namespace = `${++made} `;
      return {
        limiter: {
          consume: (subject, rule) => shared.consume(namespace + subject, rule),
          peek: (subject, rule) => shared.peek(namespace + subject, rule),
        } satisfies RateLimiter,
        advance: async (milliseconds: number) => {
          now += milliseconds * 1000;
        },
        keyOf: (subject: string) => limitKey(namespace + subject),
      };
    },
    close: () => redis.close(),
  };
};
