import { recordLog } from '@portico/contracts';
import { createInProcessRateLimiter } from '@portico/inprocess';
import type { Clock } from '@portico/domain';
import { createRedisBodyStore } from '../src/redis-body-store.ts';
import { openRedis, type RedisConnection } from '../src/redis-connection.ts';
import { createRedisRateLimiter } from '../src/redis-rate-limiter.ts';
import { patientMs } from './limiter-subject.ts';

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** A generous end of what must come by itself: the longest pause of the back-off, and more. */
const patienceMs = 60_000;

/**
 * A connection with a limiter and a store of bodies on it, and all that an operator would have been told. Its time limit is long,
 * so that a machine that is busy is no fault, unless the fault is one that only the limit of production finds.
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
    if (performance.now() > end) throw new Error('It did not come to pass in a minute');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
