import { type Environment, localAdmin, openLocalIssuer, readConfig } from '@portico/composition';
import { freePort } from '@portico/test-servers';
import { createApiClient, type ApiClient } from '../api-client.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

/** A service for a measurement, in a folder of its own. Its limits never refuse. */
export interface OwnService extends ServiceProcess {
  readonly api: ApiClient;
  readonly admin: { readonly token: string };
  /** Registers and approves a client: its profile, its key as headers, and a token of it. */
  readonly client: (uid: string) => Promise<OwnClient>;
  readonly usage: () => Promise<ProcessUsage>;
}

export interface OwnClient {
  readonly id: string;
  readonly key: Readonly<Record<string, string>>;
  readonly token: string;
}

export interface ProcessUsage {
  readonly cpuMs: number;
  readonly residentMiB: number;
}

export const startOwnService = async (folder: string, variables: Environment = {}): Promise<OwnService> => {
  const environment = {
    PATH: process.env.PATH,
    NODE_ENV: 'development',
    DATA_DIR: folder,
    PORT: String(await freePort()),
    RATE_LIMIT_DEFAULT: '100000000/60',
    ...variables,
  };
  const service = await startService(environment);
  process.prependOnceListener('exit', () => void service.kill());
  const api = createApiClient(service.address);
  const issuer = await openLocalIssuer(readConfig(environment));
  if (!issuer) throw new Error('The local issuer is off');
  const ttlSeconds = 86_400;
  const admin = { token: await issuer.mint({ ...localAdmin, ttlSeconds }) };
  return {
    ...service,
    api,
    admin,
    client: async (uid) => {
      const email = `${uid}@example.com`;
      const registration = { firebase_uid: uid, email, full_name: uid };
      const { id } = await api.ask<{ id: string }>(null, 'POST', '/api/profiles/register', registration);
      const approved = await api.ask<{ client_id: string; client_secret: string }>(
        admin,
        'POST',
        `/api/profiles/${id}/approve`,
      );
      const key = { 'x-client-id': approved.client_id, 'x-api-key': approved.client_secret };
      return { id, key, token: await issuer.mint({ uid, email, ttlSeconds }) };
    },
    usage: () => usageOf(service.address),
  };
};

/** As the process itself counts it. */
export const usageOf = async (address: string): Promise<ProcessUsage> => {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const read = (name: string): number => {
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+-]+)`, 'm').exec(metrics)?.[1];
    if (value === undefined) throw new Error(`The service does not report ${name}`);
    return Number(value);
  };
  return {
    cpuMs: read('process_cpu_seconds_total') * 1_000,
    residentMiB: read('process_resident_memory_bytes') / 2 ** 20,
  };
};
