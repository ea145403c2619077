import { startRedis, stopTime, temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compose } from './compose.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../runtime/logging.ts';

const redis = await startRedis();

test.skipIf(!redis?.control)(
  'readiness reports without any requests when the limiter enters its fallback and when it leaves it',
  async () => {
    const folder = temporaryFolder(onTestFinished);
    onTestFinished(() => redis?.close());
    const time = stopTime(vi);
    onTestFinished(time.restore);
    const config = readConfig({ DATA_DIR: folder, REDIS_URL: redis?.url ?? '' });
    const portico = await compose(config, createLogger('silent', 'test'), 'http');
    onTestFinished(() => time.advanceUntil(portico.close()));
    const inFallback = async () => (await portico.useCases.readReadiness()).parts.some((part) => part.inFallback);
    await time.pollInRealTime(async () => expect(await inFallback()).toBe(false));
    await redis?.control?.stop();
    await time.advanceUntilSuccess(async () => expect(await inFallback()).toBe(true));
    await redis?.control?.start();
    await time.advanceUntilSuccess(async () => expect(await inFallback()).toBe(false));
  },
);
