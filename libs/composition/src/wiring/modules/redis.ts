import { createInProcessCache, createInProcessRateLimiter } from '@portico/inprocess';
import { createRedisCache, createRedisRateLimiter, openRedis } from '@portico/redis';
import { Closable, type Module } from '../parts.ts';
import { nearCacheBytesMax } from './inprocess.ts';
import { required } from './required.ts';

/** Cache and limiter in Redis, shared by all processes; what this process remembers itself is nearer, and outlives an outage. */
export const redisModule: Module = (provide) => {
  provide('redis', ['config', 'logger'], async ({ redis }, logger) => {
    const connection = await openRedis({
      ...required(redis, 'REDIS_URL'),
      log: logger,
    });
    return new Closable(connection, () => connection.close());
  });
  provide('limiter', ['redis', 'clock', 'logger'], async (redis, clock, logger) =>
    createRedisRateLimiter({
      redis,
      fallback: await createInProcessRateLimiter({ clock }),
      log: logger,
    }),
  );
  provide('cache', ['redis'], (redis) =>
    createRedisCache({ redis, near: createInProcessCache({ maxBytes: nearCacheBytesMax }) }),
  );
};
