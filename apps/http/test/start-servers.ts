import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll } from 'vitest';
import type { Environment } from '@portico/composition';

/** PostgreSQL and Redis for the services of a test file. */
export interface Servers {
  /** The variables of a new service: a database of its own, and an empty Redis. */
  readonly variables: () => Promise<Environment>;
}

/** Starts both until the end of the test file. Returns null if one of them is unavailable. */
export const startServers = async (): Promise<Servers | null> => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  afterAll(() => Promise.all([postgres?.close(), redis?.close()]));
  if (!postgres || !redis) return null;
  return {
    variables: async () => {
      // Otherwise the counts of an address outlive the service that made them.
      await redis.flush();
      return { DATABASE_URL: await postgres.newDatabase(), REDIS_URL: redis.url };
    },
  };
};
