import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, describe } from 'vitest';
import { matrixSuite } from './matrix-suite.ts';
import { startComposed } from './start-composed.ts';
import { startOnMemory } from './start-on-memory.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

describe.skipIf(!postgres || !redis)('on PostgreSQL and Redis', () => {
  const variables = async () => ({ DATABASE_URL: await postgres?.newDatabase(), REDIS_URL: redis?.url });
  matrixSuite(startComposed(variables), startOnMemory);
});
