import { startRedis, stopTime, createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compose } from './compose.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../runtime/logging.ts';

const redis = await startRedis();

test.skipIf(!redis?.control)(
  'even without requests, readiness reports when the limiter starts and stops using its fallback',
  async () => {
    const folder = createTemporaryFolder(onTestFinished);
    onTestFinished(() => redis?.close());
    const time = stopTime(vi);
    onTestFinished(time.restore);
    const config = readConfig({ DATA_DIR: folder, REDIS_URL: redis?.url ?? '' });
    const portico = await compose(config, createLogger('silent', 'test'), 'http');
    onTestFinished(() => time.advanceUntil(portico.close()));
    const isInFallback = async () => (await portico.useCases.readReadiness()).parts.some((part) => part.inFallback);
    await time.pollInRealTime(async () => expect(await isInFallback()).toBe(false));
    await redis?.control?.stop();
    await time.advanceUntilSuccess(async () => expect(await isInFallback()).toBe(true));
    await redis?.control?.start();
    await time.advanceUntilSuccess(async () => expect(await isInFallback()).toBe(false));
  },
);
