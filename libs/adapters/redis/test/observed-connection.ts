import { recordLog } from '@portico/contracts';
import { createInProcessRateLimiter } from '@portico/inprocess';
import type { Clock } from '@portico/domain';
import { stopTime, type StoppedTime } from '@portico/test-servers';
import { expect, onTestFinished, vi } from 'vitest';
import { computeBackOffMs, openRedis } from '../src/redis-connection.ts';
import { createRedisRateLimiter } from '../src/redis-rate-limiter.ts';

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export type ObservedConnection = Awaited<ReturnType<typeof openObservedConnection>>;

/**
 * Opens a connection with a limiter, and records the log messages for the operator. Time is stopped until the test lets
 * it pass, so that the test does not fail on a busy machine.
 */
export const openObservedConnection = async (url: string) => {
  const time = useStoppedTime();
  const warnings: string[] = [];
  const fallbacks: boolean[] = [];
  const recordMessage = (_fields: object, message: string): void => {
    warnings.push(message);
    if (message.startsWith('Rate limits are counted')) fallbacks.push(limiter.probe.inFallback?.() ?? false);
  };
  const log = { ...recordLog(), info: recordMessage, warn: recordMessage };
  const fallback = await createInProcessRateLimiter({ clock });
  const redis = await openRedis({ url, log });
  const { client } = redis;
  const pausesMs: number[] = [];
  client.on('reconnecting', (pauseMs: number) => pausesMs.push(pauseMs));
  const limiter = createRedisRateLimiter({ redis, installation: 'here', fallback, log });

  /**
   * Waits until Redis is available. Lets only the pauses between connection attempts pass, so that no timeout expires.
   */
  const waitUntilAvailable = () =>
    time.pollInRealTime(async () => {
      if (client.status === 'reconnecting') await time.advance(pausesMs.at(-1) ?? computeBackOffMs(1, 1));
      await redis.probe.check();
    });
  return {
    time,
    redis,
    limiter,
    warnings,
    fallbacks,
    /** The pauses between connection attempts that began after the connection was opened. */
    pausesMs,
    waitUntilAvailable,
    waitUntilUnavailable: () => time.advanceUntilSuccess(() => expect(redis.probe.check()).rejects.toThrow()),
    close: () => redis.close(),
  };
};

let timeOfTest: StoppedTime | null = null;

/** Returns the time of this test, which is stopped until the test lets it pass. */
export const useStoppedTime = (): StoppedTime => {
  if (timeOfTest) return timeOfTest;
  const time = stopTime(vi);
  timeOfTest = time;
  onTestFinished(() => {
    timeOfTest = null;
    time.restore();
  });
  return time;
};
