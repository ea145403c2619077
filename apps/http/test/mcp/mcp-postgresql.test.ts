import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, describe } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { clientsSuite } from './clients-suite.ts';
import { operationsSuite } from './operations-suite.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

describe.skipIf(!postgres || !redis)('on PostgreSQL and Redis', () => {
  const start = startComposed(async () => {
    await redis?.flush();
    return { DATABASE_URL: await postgres?.newDatabase(), REDIS_URL: redis?.url };
  });

  describe('official clients', () => clientsSuite(start));
  describe('operations', () => operationsSuite(start));
});
