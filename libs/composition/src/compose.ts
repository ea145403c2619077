import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { Container } from 'inversify';
import { createUseCases, type Ports, type UseCases } from '@portico/domain';
import type { Logger } from 'pino';
import type { LocalIssuer } from '@portico/identity';
import type { Config } from './config.ts';
import { identifierOf, provideInto, type Key, type Module, type Registry } from './registry.ts';

/** A composition that is ready to be driven. */
export interface Portico {
  readonly config: Config;
  readonly logger: Logger;
  readonly ports: Ports;
  readonly useCases: UseCases;
  /** Null where the local issuer is off. */
  readonly localIssuer: LocalIssuer | null;
  /** Closes all that was opened, the last first. */
  close(): Promise<void>;
}

const closeDeadlineMs = 8_000;

/** Every adapter that this configuration uses, and no other: a module is loaded only when it is one of them. */
const modulesOf = async (): Promise<readonly Module[]> => {
  const loaded = await Promise.all([
    import('./modules/system.ts').then((module) => module.systemModule),
    import('./modules/sqlite.ts').then((module) => module.sqliteModule),
    import('./modules/secrets.ts').then((module) => module.secretsModule),
    import('./modules/inprocess.ts').then((module) => module.inProcessModule),
    import('./modules/mail.ts').then((module) => module.mailModule),
    import('./modules/identity.ts').then((module) => module.identityModule),
    import('./modules/search.ts').then((module) => module.searchModule),
    import('./modules/documents.ts').then((module) => module.documentsModule),
  ]);
  return loaded;
};

/**
 * Joins use cases and adapters as the configuration says, and sees to a first admin. On a failure all that was opened is closed again.
 */
export const compose = async (config: Config, logger: Logger): Promise<Portico> => {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const container = new Container();
  const closers: Closer[] = [];
  const provide = provideInto(container, closers);
  provide('config', [], () => config);
  provide('logger', [], () => logger);
  for (const load of await modulesOf()) load(provide);
  const close = () => closeAll(closers, logger);
  try {
    const get = <K extends Key>(key: K): Promise<Registry[K]> => container.getAsync(identifierOf(key));
    const database = await get('database');
    const identity = await get('identity');
    const embedder = await get('embedder');
    const vectors = await get('vectors');
    const ports: Ports = {
      ...database.stores,
      clock: await get('clock'),
      chance: await get('chance'),
      limiter: await get('limiter'),
      vectors,
      embedder,
      queue: await get('queue'),
      mailer: await get('mailer'),
      tokens: identity.verifier,
      keys: await get('keys'),
      vault: await get('vault'),
      documents: await get('documents'),
      cache: await get('cache'),
      probes: [
        database.probe,
        ...(identity.probe ? [identity.probe] : []),
        { name: 'embedder', essential: false, check: () => embedder.check() },
        { name: 'vector index', essential: false, check: () => vectors.check() },
      ],
    };
    const useCases = createUseCases(ports, config.settings);
    const made = config.firstAdmin && (await useCases.claimFirstAdmin(config.firstAdmin));
    if (made) logger.info({ profileId: made.id, email: made.email }, 'There was no admin: this profile is one now');
    return { config, logger, ports, useCases, localIssuer: await get('localIssuer'), close };
  } catch (error) {
    await close();
    throw error;
  }
};

type Closer = () => Promise<void> | void;

/** In the reverse order of opening; what fails to close is logged and stops nothing, what hangs is left at the deadline. */
const closeAll = async (closers: Closer[], logger: Logger): Promise<void> => {
  const all = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      try {
        await closer();
      } catch (error) {
        logger.error({ err: error }, 'A part did not close');
      }
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      logger.error({ closeDeadlineMs }, 'Closing took too long');
      resolve();
    }, closeDeadlineMs);
  });
  await Promise.race([all(), deadline]);
  clearTimeout(timer);
};
