import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess } from '../service-process.ts';

export type ProbeQuestion = 'begin' | 'read';

export interface ProbeAnswer {
  /** Since the last `begin`. */
  readonly gcMs: number;
  readonly longestDelayMs: number;
  /** Since the process began. */
  readonly cpuNs: number;
  readonly statements: number;
  /** What its main thread keeps, and has not collected yet. */
  readonly heapBytes: number;
  readonly bufferBytes: number;
}

/** A server process that is measured. */
export interface Subject {
  readonly name: string;
  readonly address: string;
  readonly pid: number;
  /** Of all its threads, in nanoseconds. */
  readonly cpuNs: () => Promise<number>;
  readonly ask: (question: ProbeQuestion) => Promise<ProbeAnswer>;
  /** Kills it: what it would do at its end is not measured. */
  readonly end: () => Promise<void>;
}

export interface SubjectStart {
  readonly name: string;
  readonly address: string;
  /** A path there that answers 200 when the process is ready. */
  readonly ready: string;
  readonly folder: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
}

const startTimeoutMs = 120_000;
const probe = new URL('probe.ts', import.meta.url).href;

/** Starts a Node process with the probe in it, and waits until it answers. It ends with this process at the latest. */
export const startSubject = async (start: SubjectStart): Promise<Subject> => {
  const log = openSync(start.logFile, 'a', 0o600);
  const child = spawn(process.execPath, ['--import', probe, ...start.arguments], {
    cwd: start.folder,
    env: start.environment,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const end = () => endProcess(child, 'SIGKILL');
  try {
    await answering(start, child);
  } catch (error) {
    await end();
    throw error;
  }
  const pid = child.pid ?? 0;
  const ask: Subject['ask'] = async (question) => {
    const answer = once(child, 'message');
    child.send(question);
    return ((await answer) as [ProbeAnswer])[0];
  };
  const cpuNs = process.platform === 'linux' ? () => scheduledNs(pid) : async () => (await ask('read')).cpuNs;
  return { name: start.name, address: start.address, pid, cpuNs, ask, end };
};

const answering = async ({ name, address, ready, logFile }: SubjectStart, child: ChildProcess): Promise<void> => {
  for (const startedAt = Date.now(); ; await pause(50)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} exited; ${logFile} says why`);
    if (Date.now() - startedAt > startTimeoutMs) throw new Error(`${name} did not answer; ${logFile} says why`);
    try {
      if ((await fetch(`${address}${ready}`)).ok) return;
    } catch {
      // Nothing listens there yet.
    }
  }
};

/** What the kernel's scheduler has counted for the threads of the process, in nanoseconds. */
const scheduledNs = async (pid: number): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const counts = await Promise.all(
    threads.map(async (thread) => {
      try {
        return Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')).split(' ')[0]);
      } catch {
        // The thread has ended.
        return 0;
      }
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};
