import { recordLog } from '@portico/contracts';
import { createInProcessRateLimiter } from '@portico/inprocess';
import type { Clock } from '@portico/domain';
import { stopTime, type StoppedTime } from '@portico/test-servers';
import { expect, onTestFinished, vi } from 'vitest';
import { backOffMs, openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter } from '../src/redis-rate-limiter.ts';

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export type Observed = Awaited<ReturnType<typeof openObserved>>;

/**
 * A connection with a limiter on it, and everything logged for an operator. Its time stands still until the test lets it
 * pass: a busy machine is no fault.
 */
export const openObserved = async (url: string) => {
  const time = stoppedTime();
  const warnings: string[] = [];
  const fallbacks: boolean[] = [];
  const note = (_fields: object, message: string): void => {
    warnings.push(message);
    if (message.startsWith('Rate limits are counted')) fallbacks.push(limiter.probe.inFallback?.() ?? false);
  };
  const log = { ...recordLog(), info: note, warn: note };
  const own = await createInProcessRateLimiter({ clock });
  const redis = await openRedis({ url, log });
  const { client } = redis;
  const pausesMs: number[] = [];
  client.on('reconnecting', (pauseMs: number) => pausesMs.push(pauseMs));
  const limiter = createRedisRateLimiter({ redis, installation: 'here', fallback: own, log });

  /** Only the pauses between attempts to connect pass meanwhile, and no time that has a limit. */
  const untilHere = () =>
    time.stillUntil(async () => {
      if (client.status === 'reconnecting') await time.pass(pausesMs.at(-1) ?? backOffMs(1, 1));
      await redis.probe.check();
    });
  return {
    time,
    redis,
    limiter,
    warnings,
    fallbacks,
    /** The pauses between attempts to connect, without one that began before this was returned. */
    pausesMs,
    untilHere,
    untilAway: () => time.passUntilSucceeds(() => expect(redis.probe.check()).rejects.toThrow()),
    close: () => redis.close(),
  };
};

let ofThisTest: StoppedTime | null = null;

/** The time of this test, which stands still until the test lets it pass. */
export const stoppedTime = (): StoppedTime => {
  if (ofThisTest) return ofThisTest;
  const time = stopTime(vi);
  ofThisTest = time;
  onTestFinished(() => {
    ofThisTest = null;
    time.goOn();
  });
  return time;
};
