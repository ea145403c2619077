import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  compose,
  createLogger,
  localAdmin,
  readConfig,
  startBackground,
  version,
  type Composition,
  type Environment,
} from '@portico/composition';
import { createUseCases, type Clock, type Instant } from '@portico/domain';
import { createHttpApp, createHttpServer } from '@portico/http';
import { createApiClient, type ApiClient, type Credential } from '../src/api-client.ts';

/** Several services in this process, each with connections and caches of its own, that read one clock. */
export interface ComposedReplicas {
  readonly apis: readonly ApiClient[];
  readonly clock: { readonly now: () => Instant; readonly moveTo: (now: Instant) => void };
  readonly admin: () => Promise<Credential>;
  /** A new token of this person, which names these groups. */
  readonly person: (uid: string, email: string, groups?: readonly string[]) => Promise<Credential>;
  readonly close: () => Promise<void>;
}

/** The clock stands still until it is moved; tokens are minted and verified by the machine's. */
export const composeReplicas = async (count: number, variables: Environment): Promise<ComposedReplicas> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-replicas-'));
  const clock = standingClock(Date.now());
  const replicas: Replica[] = [];
  const close = async () => {
    for (const replica of replicas) await replica.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // One after the other: the first makes the keys and the tables.
    while (replicas.length < count) replicas.push(await startReplica({ DATA_DIR: folder, ...variables }, clock));
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = replicas;
  const issuer = first?.portico.localIssuer;
  if (!issuer) throw new Error('The local issuer is disabled');
  return {
    apis: replicas.map(({ api }) => api),
    clock,
    admin: async () => ({ token: await issuer.mint({ uid: localAdmin.uid, ttlSeconds }) }),
    person: async (uid, email, groups) => ({
      token: await issuer.mint({ uid, email, emailVerified: true, ...(groups ? { groups } : {}), ttlSeconds }),
    }),
    close,
  };
};

interface Replica {
  readonly portico: Composition;
  readonly api: ApiClient;
  readonly close: () => Promise<void>;
}

const ttlSeconds = 7_200;

const standingClock = (from: Instant): Clock & ComposedReplicas['clock'] => {
  let instant = from;
  return {
    now: () => instant,
    monotonic: () => performance.now(),
    turn: () => setImmediate(),
    moveTo: (now) => {
      instant = now;
    },
  };
};

const startReplica = async (variables: Environment, clock: Clock): Promise<Replica> => {
  const config = readConfig(variables);
  const logger = createLogger('warn', 'replica');
  const portico = await compose(config, logger, 'http');
  const { documents, bodyStore: sharedBodies, localIssuer } = portico;
  const useCases = createUseCases({ ...portico.ports, clock }, config.settings);
  const settings = { ...config, version };
  const server = createHttpServer(createHttpApp({ useCases, documents, settings, logger, localIssuer, sharedBodies }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const background = startBackground({ ...portico, useCases });
  return {
    portico,
    api: createApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: async () => {
      await server.drain({ noticeMs: 0 });
      await background.stop();
      await portico.close();
    },
  };
};
