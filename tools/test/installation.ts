import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@portico/composition';
import { freePort } from '@portico/test-servers';
import { createApiClient, type ApiClient, type Credential } from '../src/api-client.ts';
import { endProcess, root, startService, type ServiceProcess } from '../src/service-process.ts';
import { startComposed, type ComposedService } from './composed-service.ts';
import { inherited, runTool, startToolProcess, toolArguments, type ToolRun } from './run-tool.ts';

export interface Replica {
  readonly service: ServiceProcess;
  readonly api: ApiClient;
}

/** A fresh installation in a folder of its own: the service, and the operator's tool. */
export interface Installation {
  readonly folder: string;
  /** The variables that it was created with. */
  readonly variables: Readonly<Record<string, string>>;
  readonly api: ApiClient;
  /** Starts the service as a process, which takes a second or two. */
  readonly start: () => Promise<ServiceProcess>;
  /** Starts it in this process instead, for tests that are not about processes. */
  readonly compose: () => Promise<ComposedService>;
  /** One more of these on the same data, on a port of its own. */
  readonly composeReplica: () => Promise<ComposedService>;
  /** Starts one more process of the service on the same data, on a port of its own. */
  readonly startReplica: () => Promise<Replica>;
  /** Runs the operator's tool with these arguments, in this process. */
  readonly tool: (...args: readonly string[]) => Promise<ToolRun>;
  /** The same with these variables alone, as on a machine that has no stores. */
  readonly toolElsewhere: (variables: Environment, ...args: readonly string[]) => Promise<ToolRun>;
  /** The same as `tool`, as a process: for what a process has to do with. */
  readonly toolProcess: (...args: readonly string[]) => Promise<ToolRun>;
  /** Starts the operator's tool and leaves it running. */
  readonly spawnTool: (...args: readonly string[]) => ChildProcess;
  /** Starts a worker process and leaves it running. */
  readonly spawnWorker: () => ChildProcess;
  /** An admin, by a token of the local issuer. */
  readonly admin: () => Promise<Credential>;
  readonly person: (uid: string) => Promise<Credential>;
  /** Kills what is still running or starting, waits until it has ended, and removes the folder. */
  readonly remove: () => Promise<void>;
}

export const createInstallation = async (variables: Readonly<Record<string, string>> = {}): Promise<Installation> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-installation-'));
  const port = await freePort();
  const environment = {
    ...inherited,
    DATA_DIR: folder,
    PORT: String(port),
    NODE_ENV: 'development',
    ...variables,
  };
  const ending = new AbortController();
  const services: Promise<ServiceProcess>[] = [];
  const children: ChildProcess[] = [];
  const startWith = (variables: Environment): Promise<ServiceProcess> => {
    const service = startService(variables, ending.signal);
    services.push(service);
    return service;
  };
  const composed = new Set<ComposedService>();
  const composeWith = async (variables: Environment): Promise<ComposedService> => {
    const service = await startComposed(variables);
    composed.add(service);
    const stop = async () => {
      if (composed.delete(service)) await service.stop();
    };
    return { ...service, stop };
  };
  const spawnWith = (args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, args, { cwd: root, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    // Drains the output, so that it does not fill the pipe.
    child.stderr.resume();
    children.push(child);
    return child;
  };
  const tool: Installation['tool'] = (...args) => runTool(environment, args);
  const tokenOf = async (...args: readonly string[]): Promise<Credential> => {
    const { code, stdout, stderr } = await tool('token', ...args);
    if (code !== 0) throw new Error(stderr);
    return { token: stdout.trim() };
  };
  return {
    folder,
    variables,
    api: createApiClient(`http://127.0.0.1:${port}`),
    start: () => startWith(environment),
    startReplica: async () => {
      const service = await startWith({ ...environment, PORT: String(await freePort()) });
      return { service, api: createApiClient(service.address) };
    },
    compose: () => composeWith(environment),
    composeReplica: () => composeWith({ ...environment, PORT: '0' }),
    tool,
    toolElsewhere: (variables, ...args) => runTool(variables, args),
    toolProcess: (...args) => {
      const { child, ended } = startToolProcess(environment, args);
      children.push(child);
      return ended;
    },
    spawnTool: (...args) => spawnWith([...toolArguments, ...args]),
    spawnWorker: () => spawnWith(['-C', '@portico/source', 'apps/worker/src/main.ts']),
    admin: () => tokenOf('--admin'),
    person: (uid) => tokenOf('--uid', uid, '--email', `${uid}@example.com`),
    remove: async () => {
      ending.abort();
      for (const start of await Promise.allSettled(services))
        if (start.status === 'fulfilled') await start.value.kill();
      for (const service of composed) await service.stop();
      for (const child of children) await endProcess(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
