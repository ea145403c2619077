import { createInProcessRateLimiter } from '@portico/inprocess';
import { createRedisBodyStore, createRedisRateLimiter, openRedis, type RedisRateLimiter } from '@portico/redis';
import { Closable, type Module } from '../registry.ts';
import { required } from './required.ts';

/** Limiter and bodies in Redis, shared by all processes; what this process remembers itself outlives an outage. */
export const redisModule: Module = (provide) => {
  provide('redis', ['config', 'logger'], async ({ redis }, logger) => {
    const connection = await openRedis({
      ...required(redis, 'REDIS_URL'),
      warn: (message) => logger.warn(message),
    });
    return new Closable(connection, () => connection.close());
  });
  provide('limiter', ['config', 'redis', 'clock', 'logger', 'gauges'], async (config, redis, clock, logger, gauges) => {
    const warn = (message: string) => logger.warn(message);
    const fallback = await createInProcessRateLimiter({ clock, warn });
    const limiter = createRedisRateLimiter({
      redis,
      fallback,
      warn,
      onFallback: (active) => {
        gauges.limiterFallback = active;
      },
    });
    return config.answersRequests ? new Closable(limiter, keepChecking(limiter)) : limiter;
  });
  provide('bodyStore', ['redis'], (redis) => createRedisBodyStore({ redis }));
};

/** So that the gauge is right within so long of a change, at night too. */
const checkMs = 5_000;

/** Returns how to end it, which waits for the check that is under way. */
const keepChecking = (limiter: RedisRateLimiter): (() => Promise<void>) => {
  let checked = limiter.check();
  const timer = setInterval(() => {
    checked = limiter.check();
  }, checkMs).unref();
  return () => {
    clearInterval(timer);
    return checked;
  };
};
