import { settlesWithin, type LiveProcess } from '@portico/dependencies';
import { inspectProvider, type InspectedProvider } from '@portico/identity';
import type { InspectedQdrant } from '@portico/qdrant';
import type { InspectedRedis } from '@portico/redis';
import { inspectDatabase, type InspectedDatabase } from '@portico/sql';
import { readConfig, type Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import { requireSetting } from '../wiring/parts.ts';

/**
 * The timeout for one response from a server. It is shorter than the timeout of a check, so that the reason is
 * reported.
 */
export const responseTimeoutMs = 2_000;

/** The subjects of the checks. Each is read once, when a check first needs it, and nothing is changed. */
export interface Examination {
  readonly environment: Environment;
  /** Throws a `ConfigurationError` if the configuration is not valid. */
  readonly getConfig: () => Config;
  /** Null if there is no database yet. */
  readonly getDatabase: () => Promise<InspectedDatabase | null>;
  readonly getRedis: () => Promise<InspectedRedis>;
  readonly readRedisProcesses: () => Promise<readonly LiveProcess[]>;
  readonly getQdrant: () => Promise<InspectedQdrant>;
  readonly hasModel: () => Promise<boolean>;
  readonly getProvider: () => Promise<InspectedProvider>;
  /** Closes everything that was opened, and abandons operations that hang. */
  readonly close: () => Promise<void>;
}

export const createExamination = (environment: Environment): Examination => {
  const getConfig = memoize(() => readConfig(environment));
  const databases: Promise<InspectedDatabase | null>[] = [];
  return {
    environment,
    getConfig,
    getDatabase: memoize(() => {
      const database = inspectDatabase(getConfig().database);
      databases.push(database);
      return database;
    }),
    // A driver is loaded only if its server is configured.
    getRedis: memoize(async () =>
      (await import('./drivers/redis.ts')).inspectRedis(requireSetting(getConfig().redis, 'REDIS_URL')),
    ),
    readRedisProcesses: memoize(async () =>
      (await import('./drivers/redis.ts')).readLiveProcessesInRedis(requireSetting(getConfig().redis, 'REDIS_URL')),
    ),
    getQdrant: memoize(async () =>
      (await import('./drivers/qdrant.ts')).inspectQdrant(requireSetting(getConfig().qdrant, 'QDRANT_URL')),
    ),
    hasModel: memoize(async () =>
      (await import('./drivers/ollama.ts')).hasModel(
        requireSetting(getConfig().ollama, 'OLLAMA_URL'),
        responseTimeoutMs,
      ),
    ),
    getProvider: memoize(() => {
      const { issuer, jwksUrl } = requireSetting(getConfig().identity.issuer, 'IDENTITY_ISSUER');
      return inspectProvider({ issuer, jwksUrl, timeoutMs: responseTimeoutMs });
    }),
    async close() {
      const closing = databases.map(async (database) => (await database)?.close());
      await settlesWithin(closeTimeoutMs, Promise.allSettled(closing));
    },
  };
};

const closeTimeoutMs = 1_000;

/** Creates the value on the first call; later calls return the same value, or the same rejected promise. */
const memoize = <T>(create: () => T): (() => T) => {
  let result: { readonly value: T } | null = null;
  return () => (result ??= { value: create() }).value;
};
