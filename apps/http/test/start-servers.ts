import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll } from 'vitest';
import type { Environment } from '@portico/composition';

/** PostgreSQL and Redis for a test file's services. */
export interface Servers {
  /** Returns the variables of a new service: a new database, and an empty Redis. */
  readonly createVariables: () => Promise<Environment>;
}

/** Starts both servers and stops them at the end of the test file. Returns null if one of them is unavailable. */
export const startServers = async (): Promise<Servers | null> => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  afterAll(() => Promise.all([postgres?.close(), redis?.close()]));
  if (!postgres || !redis) return null;
  return {
    createVariables: async () => {
      // Otherwise, the counts by address would outlive the service that wrote them.
      await redis.flush();
      return { DATABASE_URL: await postgres.createDatabase(), REDIS_URL: redis.url };
    },
  };
};
