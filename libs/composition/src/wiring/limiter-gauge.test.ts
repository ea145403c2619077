import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startRedis } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { compose } from './compose.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../runtime/logging.ts';

const redis = await startRedis();

test.skipIf(!redis?.control)(
  'readiness tells without any requests when the limiter enters its fallback and when it leaves it',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-gauge-'));
    const config = readConfig({ DATA_DIR: folder, REDIS_URL: redis?.url ?? '' });
    const portico = await compose(config, createLogger('silent', 'test'), 'http');
    const inFallback = async () => (await portico.useCases.readReadiness()).parts.some((part) => part.inFallback);
    const tells = async (active: boolean) => {
      while ((await inFallback()) !== active) await pause(50);
    };
    try {
      expect(await inFallback()).toBe(false);
      await redis?.control?.stop();
      await tells(true);
      await redis?.control?.start();
      await tells(false);
    } finally {
      await portico.close();
      await redis?.close();
      rmSync(folder, { recursive: true });
    }
  },
);
