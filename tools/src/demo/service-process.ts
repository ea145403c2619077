import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '@portico/composition';

export interface ServiceProcess {
  readonly address: string;
  /** Fulfilled when the process has ended by itself or by a signal. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const root = resolve(import.meta.dirname, '../../..');
const startTimeoutMs = 20_000;

/** Starts the service as `npm start` does, its log going to a file, and waits until it answers. */
export const startService = async ({ host, port, dataDir }: Config): Promise<ServiceProcess> => {
  const address = `http://${host}:${port}`;
  if (await answers(address))
    throw new Error(`Something answers at ${address} already: stop it, or choose another PORT`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'demo-service.log');
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(process.execPath, ['-C', '@portico/source', 'apps/http/src/main.ts'], {
    cwd: root,
    env: process.env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit').then(() => undefined);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
  for (const startedAt = Date.now(); !(await answers(address)); await pause(50)) {
    if (child.exitCode !== null) throw new Error(`The service ended at its start; ${logFile} says why`);
    if (Date.now() - startedAt > startTimeoutMs) {
      await stop();
      throw new Error(`The service did not answer within ${startTimeoutMs / 1_000} s; ${logFile} says why`);
    }
  }
  return { address, ended, stop };
};

const answers = async (address: string): Promise<boolean> => {
  try {
    return (await fetch(`${address}/health`)).ok;
  } catch {
    // Nobody listens there (yet).
    return false;
  }
};
