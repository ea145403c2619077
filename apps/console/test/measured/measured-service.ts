import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { localAdmin, openLocalIssuer, readConfig, type LocalUser } from '@portico/composition';

/** The service in a separate process, as in production. */
export interface MeasuredService {
  readonly address: string;
  /** Returns a link that signs the user in and opens the page. */
  readonly linkFor: (path: string, user?: LocalUser) => Promise<string>;
  /** Calls the API as an administrator. Throws if the call fails. */
  readonly request: <Body>(method: string, path: string, body?: string) => Promise<Body>;
  readonly stop: () => Promise<void>;
}

const root = resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

export const startMeasuredService = async (): Promise<MeasuredService> => {
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    PORT: process.env['PORT'] ?? '3198',
    RATE_LIMIT_DEFAULT: '100000000/60',
  };
  const config = readConfig(env);
  const address = `http://127.0.0.1:${config.port}`;
  await run(process.execPath, ['apps/console/build.mjs', '--if-changed'], { cwd: root });
  const source = ['-C', '@portico/source'];
  const service = spawn(process.execPath, [...source, 'apps/http/src/main.ts'], { cwd: root, env, stdio: 'ignore' });
  while (!(await isUp(address))) {
    if (service.exitCode !== null) throw new Error('The service exited during startup');
    await pause(100);
  }
  const issuer = await openLocalIssuer(config);
  if (!issuer) throw new Error('The local issuer is off');
  const token = await issuer.mint({ ...localAdmin, ttlSeconds: 7_200 });
  return {
    address,
    linkFor: async (path, user) => {
      const userOptions = user ? ['--uid', user.uid, '--email', user.email ?? ''] : [];
      const command = [...source, 'apps/cli/src/main.ts', 'console', ...userOptions, '--json'];
      const { stdout } = await run(process.execPath, command, { cwd: root, env });
      const { code } = JSON.parse(stdout) as { code: string };
      return `${address}/console${path}#code=${code}`;
    },
    request: async <Body>(method: string, path: string, body?: string) => {
      const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
      const response = await fetch(address + path, { method, headers, ...(body ? { body } : {}) });
      if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
      return (await response.json()) as Body;
    },
    stop: async () => {
      const exited = once(service, 'exit');
      service.kill('SIGTERM');
      await exited;
    },
  };
};

const isUp = (address: string): Promise<boolean> =>
  fetch(`${address}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
