import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AddressInfo } from 'node:net';
import type { Environment } from '@portico/composition';
import { createApiClient, type ApiClient, type Credential } from '../api-client.ts';
import { root, startService } from '../service-process.ts';
import { copyDocuments } from './documents.ts';

export const people: readonly string[] = [
  ...['ada', 'bea', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map((name) => `${name}@example.com`),
];
export const colleague = 'kim@example.com';

/** A freshly started service, where ten people and a colleague have registered. */
export interface World {
  readonly api: ApiClient;
  readonly admin: Credential & { readonly token: string };
  readonly folder: string;
  /** A folder with documents, and how many they are. */
  readonly documents: string;
  readonly documentCount: number;
  /** Runs the tool with these arguments on this service, as the administrator; throws unless it succeeds. */
  readonly remotely: (...args: readonly string[]) => Promise<string>;
  /** The same on the stores. */
  readonly here: (...args: readonly string[]) => Promise<string>;
  readonly end: () => Promise<void>;
}

const run = promisify(execFile);

export const createWorld = async (): Promise<World> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-day-'));
  const stores: Environment = {
    PATH: process.env['PATH'],
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    NODE_ENV: 'development',
  };
  const service = await startService(stores);
  const tool = async (variables: Environment, args: readonly string[]): Promise<string> => {
    const command = ['-C', '@portico/source', join(root, 'apps/cli/src/main.ts'), ...args];
    return (await run(process.execPath, command, { cwd: root, env: variables, maxBuffer: 64 * 1_048_576 })).stdout;
  };
  const here: World['here'] = (...args) => tool(stores, args);
  const token = (await here('token', '--admin')).trim();
  const remote = { PATH: process.env['PATH'], PORTICO_SERVER: service.address, PORTICO_TOKEN: token };
  const api = createApiClient(service.address);
  for (const email of [...people, colleague]) await register(api, email);
  await here('admin', 'promote', colleague);
  const documents = join(folder, 'documents');
  return {
    api,
    admin: { token },
    folder,
    documents,
    documentCount: copyDocuments(documents),
    remotely: (...args) => tool(remote, args),
    here,
    end: async () => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const register = (api: ApiClient, email: string): Promise<unknown> => {
  const uid = email.replace(/@.*/, '');
  const registration = {
    firebase_uid: uid,
    email,
    full_name: `${uid.slice(0, 1).toUpperCase()}${uid.slice(1)} Example`,
  };
  return api.ask(null, 'POST', '/api/profiles/register', registration);
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** What a colleague changed before the day began. */
export const colleagueChanges = async ({ api, here }: World): Promise<void> => {
  const token = (await here('token', '--uid', 'kim', '--email', colleague)).trim();
  const bronze = { tier: 'bronze', allowed_limit: 60, window_seconds: 60 };
  await api.ask({ token }, 'POST', '/api/rate-limits/tiers', bronze);
};
