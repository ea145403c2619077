import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@portico/composition';
import { findFreePort } from '@portico/test-servers';
import { createApiClient, type ApiClient, type Credential } from '../src/api-client.ts';
import { endProcess, root, startService, type ServiceProcess } from '../src/service-process.ts';
import { startComposed, type ComposedService } from './composed-service.ts';
import { inheritedVariables, runTool, startToolProcess, toolArguments, type ToolRun } from './run-tool.ts';

export interface Replica {
  readonly service: ServiceProcess;
  readonly api: ApiClient;
}

/** A new installation in a separate folder: the service and the operator's tool. */
export interface Installation {
  readonly folder: string;
  /** The variables passed to `createInstallation`. */
  readonly variables: Readonly<Record<string, string>>;
  readonly api: ApiClient;
  /** Starts the service in a separate process, which takes one or two seconds. */
  readonly start: () => Promise<ServiceProcess>;
  /** Starts the service in this process, for tests that are not about processes. */
  readonly compose: () => Promise<ComposedService>;
  /** Starts another service in this process, with the same data but a different port. */
  readonly composeReplica: () => Promise<ComposedService>;
  /** Starts another process of the service, with the same data but a different port. */
  readonly startReplica: () => Promise<Replica>;
  /** Runs the operator's tool with these arguments, in this process. */
  readonly runTool: (...args: readonly string[]) => Promise<ToolRun>;
  /** Runs the tool with only these variables, as on a machine without the stores. */
  readonly runToolWith: (variables: Environment, ...args: readonly string[]) => Promise<ToolRun>;
  /** Runs the tool in a separate process, for tests that are about processes. */
  readonly runToolProcess: (...args: readonly string[]) => Promise<ToolRun>;
  /** Starts the operator's tool and leaves it running. */
  readonly spawnTool: (...args: readonly string[]) => ChildProcess;
  /** Starts a worker process and leaves it running. */
  readonly spawnWorker: () => ChildProcess;
  /** Returns an admin's token from the local issuer. */
  readonly createAdminToken: () => Promise<Credential>;
  readonly createToken: (uid: string) => Promise<Credential>;
  /** Kills processes that are still running or starting, waits until they have exited, and removes the folder. */
  readonly remove: () => Promise<void>;
}

export const createInstallation = async (variables: Readonly<Record<string, string>> = {}): Promise<Installation> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-installation-'));
  const port = await findFreePort();
  const environment = {
    ...inheritedVariables,
    DATA_DIR: folder,
    PORT: String(port),
    NODE_ENV: 'development',
    ...variables,
  };
  const abortController = new AbortController();
  const services: Promise<ServiceProcess>[] = [];
  const children: ChildProcess[] = [];
  const startWith = (variables: Environment): Promise<ServiceProcess> => {
    const service = startService(variables, abortController.signal);
    services.push(service);
    return service;
  };
  const composedServices = new Set<ComposedService>();
  const composeWith = async (variables: Environment): Promise<ComposedService> => {
    const service = await startComposed(variables);
    composedServices.add(service);
    const stop = async () => {
      if (composedServices.delete(service)) await service.stop();
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
  const runWithEnvironment: Installation['runTool'] = (...args) => runTool(environment, args);
  const tokenOf = async (...args: readonly string[]): Promise<Credential> => {
    const { code, stdout, stderr } = await runWithEnvironment('token', ...args);
    if (code !== 0) throw new Error(stderr);
    return { token: stdout.trim() };
  };
  return {
    folder,
    variables,
    api: createApiClient(`http://127.0.0.1:${port}`),
    start: () => startWith(environment),
    startReplica: async () => {
      const service = await startWith({ ...environment, PORT: String(await findFreePort()) });
      return { service, api: createApiClient(service.address) };
    },
    compose: () => composeWith(environment),
    composeReplica: () => composeWith({ ...environment, PORT: '0' }),
    runTool: runWithEnvironment,
    runToolWith: (variables, ...args) => runTool(variables, args),
    runToolProcess: (...args) => {
      const { child, result: run } = startToolProcess(environment, args);
      children.push(child);
      return run;
    },
    spawnTool: (...args) => spawnWith([...toolArguments, ...args]),
    spawnWorker: () => spawnWith(['-C', '@portico/source', 'apps/worker/src/main.ts']),
    createAdminToken: () => tokenOf('--admin'),
    createToken: (uid) => tokenOf('--uid', uid, '--email', `${uid}@example.com`),
    remove: async () => {
      abortController.abort();
      for (const outcome of await Promise.allSettled(services))
        if (outcome.status === 'fulfilled') await outcome.value.kill();
      for (const service of composedServices) await service.stop();
      for (const child of children) await endProcess(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
