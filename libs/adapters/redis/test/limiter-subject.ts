import { recordLog } from '@portico/contracts';
import type { RateLimiter } from '@portico/domain';
import { openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter, limitKeys } from '../src/redis-rate-limiter.ts';

/** A command timeout that no test about counting reaches: the machine may be busy. */
export const patientMs = 3_600_000;

/** A fallback that no test may reach: the limiter in Redis must decide. */
export const noFallback: RateLimiter = {
  consume: () => Promise.reject(new Error('The fallback was asked')),
  peek: () => Promise.reject(new Error('The fallback was asked')),
  peekEach: () => Promise.reject(new Error('The fallback was asked')),
};

/**
 * Limiters on one connection, with a clock that only the test moves; each has names of its own. Keys still expire by
 * Redis's clock, so on a busy machine a short window may be gone while a test still counts in it.
 */
export const createSubjects = async (url: string) => {
  const log = recordLog();
  const redis = await openRedis({ url, log, timeoutMs: patientMs });
  let now = Date.UTC(2026, 0, 1) + 457;
  let made = 0;
  const shared = createRedisRateLimiter({
    redis,
    installation: 'here',
    fallback: noFallback,
    log,
    timeOfTests: () => now,
  });
  return {
    client: redis.client,
    warnings: log.messages,
    /** The time that the limiters see, in milliseconds. */
    now: () => now,
    setNow: (milliseconds: number) => {
      now = milliseconds;
    },
    next: () => {
      now = Math.ceil(now);
      const namespace = `${++made} `;
      return {
        limiter: {
          consume: (subject, rule) => shared.consume(namespace + subject, rule),
          peek: (subject, rule) => shared.peek(namespace + subject, rule),
          peekEach: (asked) =>
            shared.peekEach(asked.map(({ subject, rule }) => ({ subject: namespace + subject, rule }))),
        } satisfies RateLimiter,
        advance: async (milliseconds: number) => {
          now += milliseconds;
        },
        keysOf: (subject: string) => limitKeys('here', namespace + subject),
      };
    },
    /** What a subject takes in Redis, the keys included. */
    bytesOf: async ({ log, counts }: ReturnType<typeof limitKeys>): Promise<number> =>
      Number((await redis.client.memory('USAGE', log)) ?? 0) +
      Number((await redis.client.memory('USAGE', counts)) ?? 0),
    close: () => redis.close(),
  };
};
