export { inspectRedis, readLiveProcessesInRedis } from '@portico/redis';
