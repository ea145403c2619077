import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess } from '../service-process.ts';
import type { ProbeReply } from './probe-reply.ts';

/** A measured server process. */
export interface Subject {
  readonly address: string;
  readonly pid: number;
  /** Returns the CPU time of all the process's threads, in nanoseconds. */
  readonly readCpuNs: () => Promise<number>;
  readonly readProbe: () => Promise<ProbeReply>;
  /** Kills the process: a graceful shutdown is not measured. */
  readonly kill: () => Promise<void>;
}

export interface SubjectStart {
  readonly address: string;
  /** A path that returns 200 when the process is ready. */
  readonly readyPath: string;
  readonly folder: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
}

const startTimeoutMs = 120_000;
const probe = new URL('probe.ts', import.meta.url).href;

/**
 * Starts a Node process with the probe and waits until it responds. The process exits when this process does, at the
 * latest.
 */
export const startSubject = async (start: SubjectStart): Promise<Subject> => {
  const { address, readyPath, logFile } = start;
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, ['--import', probe, ...start.arguments], {
    cwd: start.folder,
    env: start.environment,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const kill = () => endProcess(child, 'SIGKILL');
  const isReady = () =>
    fetch(`${address}${readyPath}`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const startedAt = Date.now(); !(await isReady()); await pause(50)) {
    if (child.exitCode === null && child.signalCode === null && Date.now() - startedAt < startTimeoutMs) continue;
    await kill();
    throw new Error(`${address} does not respond: ${await readFile(logFile, 'utf8')}`);
  }
  const pid = child.pid ?? 0;
  const readProbe: Subject['readProbe'] = async () => {
    const reply = once(child, 'message');
    child.send('read');
    return ((await reply) as [ProbeReply])[0];
  };
  const readCpuNs = process.platform === 'linux' ? () => readScheduledNs(pid) : async () => (await readProbe()).cpuNs;
  return { address, pid, readCpuNs, readProbe, kill };
};

/**
 * Returns the sum of the kernel scheduler's counts for the process's threads, which is more precise than
 * `process.cpuUsage`.
 */
const readScheduledNs = async (pid: number): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const counts = await Promise.all(
    threads.map(async (thread) => {
      // A thread that has exited counts as 0.
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').catch(() => '0');
      return Number(text.split(' ')[0]);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};
