import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAdmin, type Environment } from '@portico/composition';
import type { Clock, Instant } from '@portico/domain';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { startComposed, type ComposedService } from './composed-service.ts';

/** Several services in this process that share a clock. Each has its own connections and caches. */
export interface ComposedReplicas {
  readonly apis: readonly ApiClient[];
  readonly clock: { readonly now: () => Instant; readonly moveTo: (now: Instant) => void };
  readonly createAdminToken: () => Promise<Credential>;
  /** Mints a new token for this person, with these groups. */
  readonly createToken: (uid: string, email: string, groups?: readonly string[]) => Promise<Credential>;
  readonly close: () => Promise<void>;
}

/** Starts services whose clock stands still until it is moved. Tokens are minted and verified with the system clock. */
export const composeReplicas = async (count: number, variables: Environment): Promise<ComposedReplicas> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-replicas-'));
  const clock = createManualClock(Date.now());
  const replicas: ComposedService[] = [];
  const close = async () => {
    for (const replica of replicas) await replica.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // The replicas are started one after another, because the first creates the keys and the tables.
    while (replicas.length < count)
      replicas.push(await startComposed({ DATA_DIR: folder, PORT: '0', ...variables }, clock));
  } catch (error) {
    await close();
    throw error;
  }
  const [firstReplica] = replicas;
  const issuer = firstReplica?.portico.localIssuer;
  if (!issuer) throw new Error('The local issuer is disabled');
  return {
    apis: replicas.map(({ api }) => api),
    clock,
    createAdminToken: async () => ({ token: await issuer.mint({ uid: localAdmin.uid, ttlSeconds }) }),
    createToken: async (uid, email, groups) => ({
      token: await issuer.mint({ uid, email, emailVerified: true, ...(groups ? { groups } : {}), ttlSeconds }),
    }),
    close,
  };
};

const ttlSeconds = 7_200;

const createManualClock = (initialTime: Instant): Clock & ComposedReplicas['clock'] => {
  let instant = initialTime;
  return {
    now: () => instant,
    monotonic: () => performance.now(),
    moveTo: (now) => {
      instant = now;
    },
  };
};
