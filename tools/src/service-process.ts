import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig, type Environment } from '@portico/composition';

export interface ServiceProcess {
  readonly address: string;
  readonly pid: number;
  /** Resolves when the process has exited, to the exit code, or to null after a signal. */
  readonly exitCode: Promise<number | null>;
  /** Shuts the process down gracefully and waits until it has exited. */
  readonly stop: () => Promise<void>;
  /** Kills the process, as a crash would. */
  readonly kill: () => Promise<void>;
}

/** The service cannot start. The message contains the reason, and is shown without a stack trace. */
export class NotStartedError extends Error {}

export const root = resolve(import.meta.dirname, '../..');
/** V8's memory settings for the service. */
export const v8Arguments = ['--max-semi-space-size=32', '--v8-pool-size=0'] as const;
/** The arguments that `npm start` passes to Node. */
export const serviceArguments = [...v8Arguments, '-C', '@portico/source', 'apps/http/src/main.ts'] as const;
const startTimeoutMs = 120_000;

/**
 * Starts the service as `npm start` does, with its log in `service.log` in the data folder, and waits until it
 * responds. `abortSignal` kills the process immediately, even during startup. Throws a `NotStartedError`.
 */
export const startService = async (environment: Environment, abortSignal?: AbortSignal): Promise<ServiceProcess> => {
  const { host, port, dataDir } = readConfig(environment);
  const address = `http://${host}:${port}`;
  if (await isResponding(address))
    throw new NotStartedError(`A service is already running at ${address}: stop it, or choose a different PORT`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'service.log');
  const log = openSync(logFile, 'a', 0o600);
  const earlierLogBytes = statSync(logFile).size;
  const child = spawn(process.execPath, serviceArguments, { cwd: root, env: environment, stdio: ['ignore', log, log] });
  closeSync(log);
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  const terminate = (signal: NodeJS.Signals) => endProcess(child, signal);
  const killNow = () => void terminate('SIGKILL');
  if (abortSignal?.aborted) killNow();
  else abortSignal?.addEventListener('abort', killNow, { once: true });
  for (const startedAt = Date.now(); !(await isResponding(address)); await pause(50)) {
    if (hasExited(child))
      throw new NotStartedError(
        readPlainLines(logFile, earlierLogBytes) ??
          `The service exited at startup without a message; its log is ${logFile}`,
      );
    if (Date.now() - startedAt > startTimeoutMs) {
      await terminate('SIGKILL');
      throw new NotStartedError(`The service did not respond within ${startTimeoutMs / 1_000} s; see ${logFile}`);
    }
  }
  return { address, pid: child.pid ?? 0, exitCode, stop: () => terminate('SIGTERM'), kill: () => terminate('SIGKILL') };
};

/** Returns the plain lines, which are not JSON, in the log after `bytes`: the reason why the service does not start. */
const readPlainLines = (logFile: string, bytes: number): string | null => {
  const lines = readFileSync(logFile).subarray(bytes).toString('utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('{')).join('\n') || null;
};

/** Sends the signal unless the process has already exited, and waits until it has exited. */
export const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (hasExited(child)) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
};

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const isResponding = async (address: string): Promise<boolean> => {
  try {
    return (await fetch(`${address}/health`)).ok;
  } catch {
    // Nothing is listening there (yet).
    return false;
  }
};
