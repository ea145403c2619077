import { setImmediate } from 'node:timers/promises';
import { recordLog } from '@portico/contracts';
import { createInProcessRateLimiter } from '@portico/inprocess';
import type { Clock } from '@portico/domain';
import { createRedisBodyStore } from '../src/redis-body-store.ts';
import { openRedis, type RedisConnection } from '../src/redis-connection.ts';
import { createRedisRateLimiter } from '../src/redis-rate-limiter.ts';
import { patientMs } from './limiter-subject.ts';

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now(), turn: () => setImmediate() };

/** A generous deadline for what must happen by itself: longer than the longest backoff. */
const patienceMs = 60_000;

/**
 * A connection with a limiter and a body store on it, and everything logged for an operator. Its timeout is long, so
 * that a busy machine is not a fault, unless the test needs the timeout of production.
 */
export const openObserved = async (url: string, timeoutMs = patientMs) => {
  const warnings: string[] = [];
  const fallbacks: boolean[] = [];
  const note = (_fields: object, message: string): void => {
    warnings.push(message);
    if (message.startsWith('Rate limits are counted')) fallbacks.push(limiter.probe.inFallback?.() ?? false);
  };
  const log = { ...recordLog(), info: note, warn: note };
  const redis = await openRedis({ url, log, timeoutMs });
  const own = await createInProcessRateLimiter({ clock });
  const limiter = createRedisRateLimiter({
    redis,
    fallback: own,
    log,
  });
  return {
    redis,
    limiter,
    bodies: createRedisBodyStore({ redis }),
    warnings,
    fallbacks,
    untilHere: () => until(() => works(redis)),
    untilAway: () => until(async () => !(await works(redis))),
    close: () => redis.close(),
  };
};

const works = async ({ probe }: RedisConnection): Promise<boolean> => {
  try {
    await probe.check();
    return true;
  } catch {
    return false;
  }
};

export const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
  const end = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('It did not happen within a minute');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
