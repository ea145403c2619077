export { inspectRedis, liveProcessesInRedis } from '@portico/redis';
