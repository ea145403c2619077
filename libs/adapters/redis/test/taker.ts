import { openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter } from '../src/redis-rate-limiter.ts';
import { noFallback, patientMs } from './limiter-subject.ts';

/** The orders for this process, as its only argument, in JSON. */
export interface TakerOrders {
  readonly url: string;
  /** All are asked at the same time. */
  readonly limits: readonly TakenLimit[];
}

export interface TakenLimit {
  readonly subject: string;
  readonly allowed: number;
  readonly windowSeconds: number;
  readonly requests: number;
  /** The process goes on sending for at least this time. */
  readonly lastsMs: number;
}

/**
 * When an admitted request was sent and answered, in milliseconds of the machine's clock, by which Redis counts and which
 * all processes share. It was counted in between.
 */
export type Admission = readonly [askedAt: number, answeredAt: number];

/** How many requests of one limit are under way at once. */
const atOnce = 50;

const { url, limits } = JSON.parse(process.argv[2] ?? '') as TakerOrders;
const say = (_fields: object, message: string): void => console.error(message);
const log = { debug: () => undefined, info: say, warn: say, error: say };
const redis = await openRedis({ url, log, timeoutMs: patientMs });
const limiter = createRedisRateLimiter({ redis, installation: 'here', fallback: noFallback, log });

const take = async ({ subject, allowed, windowSeconds, requests, lastsMs }: TakenLimit) => {
  const admissions: Admission[] = [];
  let left = requests;
  const until = performance.now() + lastsMs;
  const takeOneByOne = async () => {
    while (left-- > 0 || performance.now() < until) {
      const askedAt = Date.now();
      const { admitted } = await limiter.consume(subject, { allowed, windowSeconds });
      if (admitted) admissions.push([askedAt, Date.now()]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeOneByOne));
  return admissions;
};

const admissions = await Promise.all(limits.map(take));
await redis.close();
process.send?.(admissions);
