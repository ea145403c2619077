export { inspectRedis } from '@portico/redis';
