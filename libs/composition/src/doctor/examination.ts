import { settlesWithin, type LivingProcess } from '@portico/dependencies';
import { inspectProvider, type InspectedProvider } from '@portico/identity';
import type { InspectedQdrant } from '@portico/qdrant';
import type { InspectedRedis } from '@portico/redis';
import { inspectDatabase, type InspectedDatabase } from '@portico/sql';
import { readConfig, type Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import { configured } from '../wiring/parts.ts';

/** How long a server may take for one answer; below the limit of a check, so that the reason is told. */
export const answerMs = 2_000;

/** What the checks ask about. Each thing is looked at once, when the first check asks for it, and nothing is changed. */
export interface Examination {
  readonly environment: Environment;
  /** Throws a `ConfigurationError` if it is not valid. */
  readonly config: () => Config;
  /** Null if there is no database yet. */
  readonly database: () => Promise<InspectedDatabase | null>;
  readonly redis: () => Promise<InspectedRedis>;
  readonly livingInRedis: () => Promise<readonly LivingProcess[]>;
  readonly qdrant: () => Promise<InspectedQdrant>;
  readonly hasModel: () => Promise<boolean>;
  readonly provider: () => Promise<InspectedProvider>;
  /** Closes what was opened; abandons what hangs. */
  readonly close: () => Promise<void>;
}

export const createExamination = (environment: Environment): Examination => {
  const config = once(() => readConfig(environment));
  const opened: Promise<InspectedDatabase | null>[] = [];
  return {
    environment,
    config,
    database: once(() => {
      const database = inspectDatabase(config().database);
      opened.push(database);
      return database;
    }),
    // A driver is loaded only if its server is configured.
    redis: once(async () => (await import('./drivers/redis.ts')).inspectRedis(configured(config().redis, 'REDIS_URL'))),
    livingInRedis: once(async () =>
      (await import('./drivers/redis.ts')).livingInRedis(configured(config().redis, 'REDIS_URL')),
    ),
    qdrant: once(async () =>
      (await import('./drivers/qdrant.ts')).inspectQdrant(configured(config().qdrant, 'QDRANT_URL')),
    ),
    hasModel: once(async () =>
      (await import('./drivers/ollama.ts')).hasModel(configured(config().ollama, 'OLLAMA_URL'), answerMs),
    ),
    provider: once(() => {
      const { issuer, jwksUrl } = configured(config().identity.issuer, 'IDENTITY_ISSUER');
      return inspectProvider({ issuer, jwksUrl, timeoutMs: answerMs });
    }),
    async close() {
      const closing = opened.map(async (database) => (await database)?.close());
      await settlesWithin(closeMs, Promise.allSettled(closing));
    },
  };
};

const closeMs = 1_000;

/** The thing is made at the first call; later calls get the same, or the same error. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly thing: T } | null = null;
  return () => (made ??= { thing: make() }).thing;
};
