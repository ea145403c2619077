export { inspectRedis, livingInRedis } from '@portico/redis';
