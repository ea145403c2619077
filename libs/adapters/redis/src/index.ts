export { inspectRedis, type InspectedRedis } from './inspect-redis.ts';
export {
  openRedis,
  RedisUnavailable,
  RedisRefusal,
  type RedisConnection,
  type RedisConnectionOptions,
} from './redis-connection.ts';
export { createRedisCache, type RedisCacheOptions } from './redis-cache.ts';
export { createRedisRoster, liveProcessesInRedis } from './redis-roster.ts';
export { createRedisRateLimiter, type RedisRateLimiter, type RedisRateLimiterOptions } from './redis-rate-limiter.ts';
