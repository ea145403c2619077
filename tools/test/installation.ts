import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { createApiClient, type ApiClient, type Caller } from '../src/api-client.ts';
import { root, startService, type ServiceProcess } from '../src/service-process.ts';

export interface ToolRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A fresh installation in a folder of its own: the service as a process, and the operator's tool. */
export interface Installation {
  readonly folder: string;
  readonly api: ApiClient;
  readonly start: () => Promise<ServiceProcess>;
  /** Runs the operator's tool with these arguments. */
  readonly tool: (...args: readonly string[]) => Promise<ToolRun>;
  /** Starts the operator's tool and leaves it running. */
  readonly spawnTool: (...args: readonly string[]) => ChildProcess;
  /** Starts a worker process and leaves it running. */
  readonly spawnWorker: () => ChildProcess;
  /** An admin, by a token of the local issuer. */
  readonly admin: () => Promise<Caller>;
  readonly person: (uid: string) => Promise<Caller>;
  /** Ends what still runs and removes the folder. */
  readonly remove: () => Promise<void>;
}

const run = promisify(execFile);

export const createInstallation = async (variables: Readonly<Record<string, string>> = {}): Promise<Installation> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-installation-'));
  const port = await freePort();
  const environment = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: String(port),
    NODE_ENV: 'development',
    ...variables,
  };
  const running: ServiceProcess[] = [];
  const workers: ChildProcess[] = [];
  const commandOf = (args: readonly string[]) => ['-C', '@portico/source', join(root, 'apps/cli/src/main.ts'), ...args];
  const tool: Installation['tool'] = async (...args) => {
    const command = commandOf(args);
    try {
      return {
        code: 0,
        ...(await run(process.execPath, command, { cwd: root, env: environment, maxBuffer: 64 * 1_048_576 })),
      };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
      if (typeof code !== 'number') throw error;
      return { code, stdout, stderr };
    }
  };
  const tokenOf = async (...args: readonly string[]): Promise<Caller> => {
    const { code, stdout, stderr } = await tool('token', ...args);
    if (code !== 0) throw new Error(stderr);
    return { token: stdout.trim() };
  };
  return {
    folder,
    api: createApiClient(`http://127.0.0.1:${port}`),
    start: async () => {
      const service = await startService(environment);
      running.push(service);
      return service;
    },
    tool,
    spawnTool: (...args) => spawn(process.execPath, commandOf(args), { cwd: root, env: environment, stdio: 'ignore' }),
    spawnWorker: () => {
      const worker = spawn(process.execPath, ['-C', '@portico/source', 'apps/worker/src/main.ts'], {
        cwd: root,
        env: environment,
        stdio: 'ignore',
      });
      workers.push(worker);
      return worker;
    },
    admin: () => tokenOf('--admin'),
    person: (uid) => tokenOf('--uid', uid, '--email', `${uid}@example.com`),
    remove: async () => {
      for (const service of running) await service.kill();
      for (const worker of workers) worker.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('No port was given');
  return address.port;
};
