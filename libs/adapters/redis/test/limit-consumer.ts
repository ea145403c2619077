import { openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter } from '../src/redis-rate-limiter.ts';
import { noFallback, longTimeoutMs } from './limiter-subject.ts';

/** The task of this process, passed as JSON in its only argument. */
export interface ConsumerTask {
  readonly url: string;
  /** All limits are exercised concurrently. */
  readonly limits: readonly LimitTask[];
}

export interface LimitTask {
  readonly subject: string;
  readonly allowed: number;
  readonly windowSeconds: number;
  readonly requests: number;
  /** The minimum time for which the process sends requests, in milliseconds. */
  readonly durationMs: number;
}

/**
 * The times when an admitted request was sent and when its result arrived, in milliseconds of the machine's clock,
 * which Redis and all processes share. The request was counted in between.
 */
export type Admission = readonly [askedAt: number, answeredAt: number];

/** The number of concurrent requests per limit. */
const concurrency = 50;

const { url, limits } = JSON.parse(process.argv[2] ?? '') as ConsumerTask;
const printError = (_fields: object, message: string): void => console.error(message);
const log = { debug: () => undefined, info: printError, warn: printError, error: printError };
const redis = await openRedis({ url, log, timeoutMs: longTimeoutMs });
const limiter = createRedisRateLimiter({ redis, installation: 'here', fallback: noFallback, log });

const consumeAll = async ({ subject, allowed, windowSeconds, requests, durationMs }: LimitTask) => {
  const admissions: Admission[] = [];
  let remaining = requests;
  const deadline = performance.now() + durationMs;
  const consumeSequentially = async () => {
    while (remaining-- > 0 || performance.now() < deadline) {
      const sentAt = Date.now();
      const { isAdmitted } = await limiter.consume(subject, { allowed, windowSeconds });
      if (isAdmitted) admissions.push([sentAt, Date.now()]);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, consumeSequentially));
  return admissions;
};

const admissions = await Promise.all(limits.map(consumeAll));
await redis.close();
process.send?.(admissions);
