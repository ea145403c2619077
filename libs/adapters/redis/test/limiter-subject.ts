import { recordLog } from '@portico/contracts';
import type { RateLimiter } from '@portico/domain';
import { openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter, limitKeys } from '../src/redis-rate-limiter.ts';

/** A command timeout that no counting test reaches, even on a busy machine. */
export const longTimeoutMs = 3_600_000;

/** A fallback that no test may call: the limiter in Redis must decide. */
export const noFallback: RateLimiter = {
  consume: () => Promise.reject(new Error('The fallback was called')),
  peek: () => Promise.reject(new Error('The fallback was called')),
  peekMany: () => Promise.reject(new Error('The fallback was called')),
};

/**
 * Creates limiters on one connection, with a clock that only the test advances. Each limiter has its own namespace.
 * Keys still expire by Redis's clock, so on a busy machine, a short window may expire while a test is still counting in
 * it.
 */
export const createSubjects = async (url: string) => {
  const log = recordLog();
  const redis = await openRedis({ url, log, timeoutMs: longTimeoutMs });
  let now = Date.UTC(2026, 0, 1) + 457;
  let subjectCount = 0;
  const sharedLimiter = createRedisRateLimiter({
    redis,
    installation: 'here',
    fallback: noFallback,
    log,
    getTestTime: () => now,
  });
  return {
    client: redis.client,
    warnings: log.messages,
    /** The limiters' current time, in milliseconds. */
    now: () => now,
    setNow: (milliseconds: number) => {
      now = milliseconds;
    },
    next: () => {
      now = Math.ceil(now);
      const namespace = `${++subjectCount} `;
      return {
        limiter: {
          consume: (subject, rule) => sharedLimiter.consume(namespace + subject, rule),
          peek: (subject, rule) => sharedLimiter.peek(namespace + subject, rule),
          peekMany: (queries) =>
            sharedLimiter.peekMany(queries.map(({ subject, rule }) => ({ subject: namespace + subject, rule }))),
        } satisfies RateLimiter,
        advance: async (milliseconds: number) => {
          now += milliseconds;
        },
        keysOf: (subject: string) => limitKeys('here', namespace + subject),
      };
    },
    /** Returns the memory that a subject uses in Redis, including its keys, in bytes. */
    bytesOf: async ({ log, counts }: ReturnType<typeof limitKeys>): Promise<number> =>
      Number((await redis.client.memory('USAGE', log)) ?? 0) +
      Number((await redis.client.memory('USAGE', counts)) ?? 0),
    close: () => redis.close(),
  };
};
