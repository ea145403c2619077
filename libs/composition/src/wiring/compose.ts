import {
  createUseCases,
  type DocumentReader,
  type JobQueue,
  type Ports,
  type Probe,
  type UseCases,
  type VectorIndex,
} from '@portico/domain';
import { rejectOnTimeout } from '@portico/dependencies';
import type { Logger } from 'pino';
import { createLocalSignIn, type LocalIssuer, type LocalSignIn } from '@portico/identity';
import type { Config } from '../config.ts';
import { dutiesOf, type Duties, type ProcessRole } from '../process-role.ts';
import { openContainer, type OpenedContainer } from './container.ts';
import { assertHeartbeat } from './data-dir.ts';
import type { IndexUpkeep, Module, Parts } from './parts.ts';
import { createRemoteIndex, type RemoteIndex } from './remote-index.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { createPresence, type Presence, type SharedServer } from './presence.ts';
import { bootstrapAdmins } from './bootstrap-admins.ts';
import { clearUnusedClaims } from './unused-claims.ts';

/** A composition that is ready to use. */
export interface Portico {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  /** The random id of the installation, which is part of all its names in Redis and Qdrant. */
  readonly installation: string;
  readonly useCases: UseCases;
  /** Delivers jobs to this process. */
  readonly queue: JobQueue;
  /** Null if the local issuer is off. */
  readonly localIssuer: LocalIssuer | null;
  /** Returns the last known URLs of the configured issuer that a browser uses for signing in. Never waits. */
  readonly listIssuerEndpoints: () => readonly string[];
  /** The way for browsers to sign in with the local issuer; null if it is off. */
  readonly localSignIn: LocalSignIn | null;
  readonly documents: DocumentReader;
  /** Null if the index is in this process, which then rebuilds it at every startup. */
  readonly remoteIndex: RemoteIndex | null;
  /** Null if there is no server that other installations may also use. */
  readonly presence: Presence | null;
  /** Null unless traces are configured. */
  readonly tracing: Tracing | null;
  /** Closes everything in reverse order of opening. */
  close(): Promise<void>;
}

/** Includes the adapters of the use cases, for tests and for code that replaces one of them. */
export interface Composition extends Portico {
  readonly ports: Ports;
}

/** Loads the adapters that this configuration uses, and no other modules. */
const modulesOf = ({ redis, qdrant, ollama, operationEmbedder, calls, mail }: Config): Promise<readonly Module[]> =>
  Promise.all([
    import('./modules/system.ts').then((module) => module.systemModule),
    import('./modules/database.ts').then((module) => module.databaseModule),
    import('./modules/secrets.ts').then((module) => module.secretsModule),
    import('./modules/identity.ts').then((module) => module.identityModule),
    import('./modules/documents.ts').then((module) => module.documentsModule),
    import('./modules/webhook-egress.ts').then((module) => module.webhookEgressModule),
    import('./modules/built-in-embedders.ts').then((module) => module.builtInEmbeddersModule),
    ...(redis
      ? [
          import('./modules/redis.ts').then((module) => module.redisModule),
          import('./modules/bullmq.ts').then((module) => module.bullmqModule),
        ]
      : [import('./modules/inprocess.ts').then((module) => module.inProcessModule)]),
    ...(qdrant
      ? [import('./modules/qdrant.ts').then((module) => module.qdrantModule)]
      : [
          import('./modules/embedded-vectors.ts').then((module) => module.embeddedVectorsModule),
          import('./modules/operation-search.ts').then((module) => module.operationSearchModule),
        ]),
    ollama
      ? import('./modules/ollama.ts').then((module) => module.ollamaModule)
      : import('./modules/built-in-embedder.ts').then((module) => module.builtInEmbedderModule),
    operationEmbedder === 'ollama'
      ? import('./modules/ollama-operation-embedder.ts').then((module) => module.ollamaOperationEmbedderModule)
      : import('./modules/built-in-operation-embedder.ts').then((module) => module.builtInOperationEmbedderModule),
    ...(calls === 'off' ? [] : [import('./modules/egress.ts').then((module) => module.egressModule)]),
    mail.smtpUrl === null
      ? import('./modules/mail.ts').then((module) => module.mailModule)
      : import('./modules/smtp.ts').then((module) => module.smtpModule),
  ]);

/**
 * Wires use cases and adapters according to the configuration and the role, and ensures that there is a first admin. On
 * failure, closes everything that it opened.
 */
export const compose = async (
  config: Config,
  logger: Logger,
  role: ProcessRole,
  tracing: Tracing | null = null,
): Promise<Composition> => {
  const duties = dutiesOf(role, config);
  const { get, close } = openContainer(config, duties, logger, await modulesOf(config));
  if (duties.writesHeartbeat) assertHeartbeat(config);
  try {
    const database = await get('database');
    const identity = await get('identity');
    const embedder = await get('embedder');
    const vectors = await get('vectors');
    const mail = await get('mail');
    const queue = await get('queue');
    const limiter = await get('limiter');
    const egress = duties.servesRequests && config.calls !== 'off' ? await get('egress') : null;
    const ports: Ports = {
      ...(tracing ? tracing.traceStores(database.stores) : database.stores),
      clock: await get('clock'),
      random: await get('random'),
      limiter,
      vectors,
      embedder,
      earlierEmbedders: await get('earlierEmbedders'),
      operationEmbedder: await get('operationEmbedder'),
      operationIndex: await get('operationIndex'),
      documents: await get('documents'),
      slicer: await get('slicer'),
      egress: egress && tracing ? tracing.traceEgress(egress) : egress,
      queue,
      mailer: mail.mailer,
      tokens: identity.verifier,
      keys: await get('keys'),
      cipher: await get('cipher'),
      signer: await get('signer'),
      webhookEgress: traceWebhooks(tracing, await get('webhookEgress')),
      probes: [database.probe, limiter.probe, queue.probe, mail.probe, identity.probe]
        .filter((probe) => probe != null)
        .map(withTimeout),
    };
    const useCases = createUseCases(ports, config.settings);
    await bootstrapAdmins({ config, duties, logger, useCases });
    await clearUnusedClaims({ config, duties, logger, useCases });
    const localIssuer = await get('localIssuer');
    const listIssuerEndpoints = await get('issuerEndpoints');
    const remoteIndex = isRemote(vectors) ? createRemoteIndex(vectors, ports) : null;
    return {
      config,
      duties,
      logger,
      installation: await get('installation'),
      presence: await openPresence(config, get),
      ports,
      useCases,
      queue,
      documents: ports.documents,
      localIssuer,
      listIssuerEndpoints,
      localSignIn: localIssuer && createLocalSignIn({ issuer: localIssuer, codes: ports.oneTimeCodes, ...ports }),
      remoteIndex,
      tracing,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const traceWebhooks = (tracing: Tracing | null, egress: Parts['webhookEgress']): Parts['webhookEgress'] =>
  tracing ? { ...egress, ...tracing.traceEgress(egress) } : egress;

const openPresence = async (config: Config, get: OpenedContainer['get']): Promise<Presence | null> => {
  const servers: readonly SharedServer[] = [
    ...(config.redis ? [{ name: 'Redis', roster: await get('redisRoster') }] : []),
    ...(config.qdrant ? [{ name: 'Qdrant', roster: await get('qdrantRoster') }] : []),
  ];
  if (servers.length === 0) return null;
  const { settings } = await get('database');
  return createPresence({ installation: await get('installation'), settings, servers, logger: await get('logger') });
};

const isRemote = (index: Parts['vectors']): index is VectorIndex & IndexUpkeep => index.rebuild !== undefined;

/** Below the 3 s that HAProxy allows for `/ready` (`deploy/haproxy.cfg`). */
const checkTimeoutMs = 2_500;

/** Adds a timeout to a probe: a check that takes too long fails. */
const withTimeout = (probe: Probe): Probe => ({
  ...probe,
  check: () => rejectOnTimeout(checkTimeoutMs, probe.check()),
});
