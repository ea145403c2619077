export { inspectRedis, type InspectedRedis } from './inspect-redis.ts';
export {
  openRedis,
  RedisUnavailable,
  RedisReplyError,
  type RedisConnection,
  type RedisConnectionOptions,
} from './redis-connection.ts';
export { createRedisCache, type RedisCacheOptions } from './redis-cache.ts';
export { createRedisRoster, readLiveProcessesInRedis } from './redis-roster.ts';
export { createRedisRateLimiter, type RedisRateLimiter, type RedisRateLimiterOptions } from './redis-rate-limiter.ts';
