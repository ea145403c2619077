import { settlesWithin, type LiveProcess } from '@portico/dependencies';
import { inspectProvider, type InspectedProvider } from '@portico/identity';
import type { InspectedQdrant } from '@portico/qdrant';
import type { InspectedRedis } from '@portico/redis';
import { inspectDatabase, type InspectedDatabase } from '@portico/sql';
import { readConfig, type Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import { configured } from '../wiring/parts.ts';

/**
 * The timeout for one response from a server. It is shorter than the timeout of a check, so that the reason is
 * reported.
 */
export const responseMs = 2_000;

/** The subjects of the checks. Each is read once, when a check first needs it, and nothing is changed. */
export interface Examination {
  readonly environment: Environment;
  /** Throws a `ConfigurationError` if the configuration is not valid. */
  readonly config: () => Config;
  /** Null if there is no database yet. */
  readonly database: () => Promise<InspectedDatabase | null>;
  readonly redis: () => Promise<InspectedRedis>;
  readonly redisProcesses: () => Promise<readonly LiveProcess[]>;
  readonly qdrant: () => Promise<InspectedQdrant>;
  readonly hasModel: () => Promise<boolean>;
  readonly provider: () => Promise<InspectedProvider>;
  /** Closes everything that was opened, and abandons operations that hang. */
  readonly close: () => Promise<void>;
}

export const createExamination = (environment: Environment): Examination => {
  const config = memoize(() => readConfig(environment));
  const databases: Promise<InspectedDatabase | null>[] = [];
  return {
    environment,
    config,
    database: memoize(() => {
      const database = inspectDatabase(config().database);
      databases.push(database);
      return database;
    }),
    // A driver is loaded only if its server is configured.
    redis: memoize(async () =>
      (await import('./drivers/redis.ts')).inspectRedis(configured(config().redis, 'REDIS_URL')),
    ),
    redisProcesses: memoize(async () =>
      (await import('./drivers/redis.ts')).liveProcessesInRedis(configured(config().redis, 'REDIS_URL')),
    ),
    qdrant: memoize(async () =>
      (await import('./drivers/qdrant.ts')).inspectQdrant(configured(config().qdrant, 'QDRANT_URL')),
    ),
    hasModel: memoize(async () =>
      (await import('./drivers/ollama.ts')).hasModel(configured(config().ollama, 'OLLAMA_URL'), responseMs),
    ),
    provider: memoize(() => {
      const { issuer, jwksUrl } = configured(config().identity.issuer, 'IDENTITY_ISSUER');
      return inspectProvider({ issuer, jwksUrl, timeoutMs: responseMs });
    }),
    async close() {
      const closing = databases.map(async (database) => (await database)?.close());
      await settlesWithin(closeMs, Promise.allSettled(closing));
    },
  };
};

const closeMs = 1_000;

/** Creates the value on the first call; later calls return the same value, or the same rejected promise. */
const memoize = <T>(create: () => T): (() => T) => {
  let result: { readonly value: T } | null = null;
  return () => (result ??= { value: create() }).value;
};
