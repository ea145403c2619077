import { createInProcessRateLimiter } from '@portico/inprocess';
import { createRedisCache, createRedisRateLimiter, createRedisRoster, openRedis } from '@portico/redis';
import { Closable, requireSetting, type Module } from '../parts.ts';

/**
 * A limiter and a cache in Redis, shared by all processes. While Redis is unavailable, this process counts on its own.
 */
export const redisModule: Module = (provide) => {
  provide('redis', ['config', 'logger'], async ({ redis }, logger) => {
    const connection = await openRedis({
      ...requireSetting(redis, 'REDIS_URL'),
      log: logger,
    });
    return new Closable(connection, () => connection.close());
  });
  provide('cache', ['redis', 'installation'], (redis, installation) => createRedisCache({ redis, installation }));
  provide('redisRoster', ['redis'], (redis) => createRedisRoster({ redis }));
  provide('limiter', ['redis', 'installation', 'clock', 'logger'], async (redis, installation, clock, logger) =>
    createRedisRateLimiter({
      redis,
      installation,
      fallback: await createInProcessRateLimiter({ clock }),
      log: logger,
    }),
  );
};
