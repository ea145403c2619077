import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig, type Environment } from '@portico/composition';

export interface ServiceProcess {
  readonly address: string;
  readonly pid: number;
  /** Resolves when the process has ended: to the exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
  /** Shuts it down gracefully, and waits until it has ended. */
  readonly stop: () => Promise<void>;
  /** Kills it, as a crash would. */
  readonly kill: () => Promise<void>;
}

/** It cannot start as things are; the message says why, and no stack is wanted. */
export class NotStartedError extends Error {}

export const root = resolve(import.meta.dirname, '../..');
/** How V8 keeps its memory in the service. */
export const v8Arguments = ['--max-semi-space-size=32', '--v8-pool-size=0'] as const;
/** What `npm start` gives to Node. */
export const serviceArguments = [...v8Arguments, '-C', '@portico/source', 'apps/http/src/main.ts'] as const;
const startTimeoutMs = 120_000;

/**
 * Starts the service as `npm start` does, with its log in `service.log` in its data folder, and waits until it answers.
 * `ending` kills it at once, even while it starts. Throws a `NotStartedError`.
 */
export const startService = async (environment: Environment, ending?: AbortSignal): Promise<ServiceProcess> => {
  const { host, port, dataDir } = readConfig(environment);
  const address = `http://${host}:${port}`;
  if (await answers(address))
    throw new NotStartedError(`Another service already answers at ${address}: stop it, or choose another PORT`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'service.log');
  const log = openSync(logFile, 'a', 0o600);
  const logged = statSync(logFile).size;
  const child = spawn(process.execPath, serviceArguments, { cwd: root, env: environment, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const end = (signal: NodeJS.Signals) => endProcess(child, signal);
  const endAtOnce = () => void end('SIGKILL');
  if (ending?.aborted) endAtOnce();
  else ending?.addEventListener('abort', endAtOnce, { once: true });
  for (const startedAt = Date.now(); !(await answers(address)); await pause(50)) {
    if (hasEnded(child))
      throw new NotStartedError(
        saidIn(logFile, logged) ?? `The service exited at its start without a word; its log is ${logFile}`,
      );
    if (Date.now() - startedAt > startTimeoutMs) {
      await end('SIGKILL');
      throw new NotStartedError(`The service did not answer within ${startTimeoutMs / 1_000} s; ${logFile} says why`);
    }
  }
  return { address, pid: child.pid ?? 0, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
};

/** What the service said in plain words since its log was so many bytes long: why it does not start. */
const saidIn = (logFile: string, bytes: number): string | null => {
  const lines = readFileSync(logFile).subarray(bytes).toString('utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('{')).join('\n') || null;
};

/** Sends the signal unless the process has ended, and waits for its end. */
export const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const answers = async (address: string): Promise<boolean> => {
  try {
    return (await fetch(`${address}/health`)).ok;
  } catch {
    // Nothing listens there (yet).
    return false;
  }
};
