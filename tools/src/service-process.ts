import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig, type Environment } from '@portico/composition';

export interface ServiceProcess {
  readonly address: string;
  readonly pid: number;
  /** Fulfilled with the exit code, or null after a signal, when the process has ended. */
  readonly ended: Promise<number | null>;
  /** Asks it to end in order, and waits for that. */
  readonly stop: () => Promise<void>;
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>;
}

export const root = resolve(import.meta.dirname, '../..');
const startTimeoutMs = 20_000;

/** Starts the service as `npm start` does, its log going to `service.log` in its data folder, and waits until it answers. */
export const startService = async (environment: Environment): Promise<ServiceProcess> => {
  const { host, port, dataDir } = readConfig(environment);
  const address = `http://${host}:${port}`;
  if (await answers(address))
    throw new Error(`Something answers at ${address} already: stop it, or choose another PORT`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'service.log');
  const log = openSync(logFile, 'a', 0o600);
  const command = ['-C', '@portico/source', 'apps/http/src/main.ts'];
  const child = spawn(process.execPath, command, { cwd: root, env: environment, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  for (const startedAt = Date.now(); !(await answers(address)); await pause(50)) {
    if (child.exitCode !== null) throw new Error(`The service ended at its start; ${logFile} says why`);
    if (Date.now() - startedAt > startTimeoutMs) {
      await end('SIGKILL');
      throw new Error(`The service did not answer within ${startTimeoutMs / 1_000} s; ${logFile} says why`);
    }
  }
  return { address, pid: child.pid ?? 0, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
};

const answers = async (address: string): Promise<boolean> => {
  try {
    return (await fetch(`${address}/health`)).ok;
  } catch {
    // Nobody listens there (yet).
    return false;
  }
};
