import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { clearTimeout, setTimeout, sleep } from './real-time.ts';
import type { Account } from './server-folder.ts';
import type { Watchdog } from './watchdog.ts';

const startTimeoutMs = 5 * 60_000;
const bindAttemptsMax = 10;
const killDelayMs = 5_000;

/** Controls the private server of a test. The port never changes. */
export interface ServerControl {
  /**
   * Stops the server. `fast`: connections are closed and the state is saved properly. `immediate`: the server stops as
   * in a crash. After 5 s, its child processes are killed: PostgreSQL would wait a minute for the child of a late
   * connection that never authenticates.
   */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /**
   * Freezes all processes of the server. Connections remain open and new ones are accepted, but they get no response.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export interface ServerProgram {
  program: string;
  createArguments(port: number): string[];
  /** The log message of a ready server. The log is checked because another server might respond on the port. */
  readyMessage: string;
  /** The log message if the port is taken. */
  portTakenMessage: string;
  stopSignals: { fast: NodeJS.Signals; immediate: NodeJS.Signals };
  folder: string;
  account: Account | null;
  watchdog: Watchdog;
}

/** A server that runs as a child process, on a port of 127.0.0.1 that was free. */
export class ServerProcess implements ServerControl {
  static async start(program: ServerProgram): Promise<ServerProcess> {
    for (let attempt = 1; ; attempt++) {
      const server = new ServerProcess(program, await findFreePort());
      try {
        await server.start();
        return server;
      } catch (error) {
        if (!(error instanceof PortTakenError) || attempt === bindAttemptsMax) throw error;
      }
    }
  }

  readonly port: number;
  #program: ServerProgram;
  #child: ChildProcess | null = null;
  #pausedPids: number[] = [];

  private constructor(program: ServerProgram, port: number) {
    this.#program = program;
    this.port = port;
  }

  async start(): Promise<void> {
    if (this.#child) throw new Error('The server is already running.');
    const { program, folder, account, watchdog } = this.#program;
    const logFile = join(folder, `log-${Date.now()}-${Math.random()}`);
    const log = openSync(logFile, 'a');
    const child = spawn(program, this.#program.createArguments(this.port), {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      ...account,
    });
    closeSync(log);
    child.unref();
    await once(child, 'spawn');
    this.#child = child;
    watchdog.guard([pidOf(child)]);
    await this.#waitUntilReady(child, logFile);
  }

  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const child = this.#child;
    if (!child) return;
    await this.resume();
    if (!hasExited(child)) {
      child.ref();
      const exitEvent = once(child, 'exit');
      child.kill(this.#program.stopSignals[mode]);
      const killTimer = setTimeout(() => signalAll(childrenOf(pidOf(child)), 'SIGKILL'), killDelayMs);
      await exitEvent;
      clearTimeout(killTimer);
    }
    this.#markStopped();
  }

  async pause(): Promise<void> {
    if (!this.#child) throw new Error('The server is not running.');
    // Stop the first process before the others, so that it cannot start any more while they are being listed.
    const pid = pidOf(this.#child);
    signalAll([pid], 'SIGSTOP');
    this.#pausedPids = [pid];
    // Repeat until there are no more: the first process may have been starting another one when it was stopped.
    for (let children = childrenOf(pid); children.length > 0; children = exclude(childrenOf(pid), this.#pausedPids)) {
      this.#pausedPids.push(...children);
      this.#program.watchdog.guard(this.#pausedPids);
      signalAll(children, 'SIGSTOP');
    }
  }

  async resume(): Promise<void> {
    // Resume the first process last: it would treat processes that do not respond yet as lost.
    signalAll(this.#pausedPids.reverse(), 'SIGCONT');
    if (this.#child && this.#pausedPids.length > 0) this.#program.watchdog.guard([pidOf(this.#child)]);
    this.#pausedPids = [];
  }

  async #waitUntilReady(child: ChildProcess, logFile: string): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    while (!readFileSync(logFile, 'utf8').includes(this.#program.readyMessage)) {
      if (hasExited(child)) {
        this.#markStopped();
        const log = readFileSync(logFile, 'utf8');
        if (log.includes(this.#program.portTakenMessage))
          throw new PortTakenError(`Port ${this.port} is taken.\n${log}`);
        throw new Error(`${this.#program.program} exited while it was starting.\n${log}`);
      }
      if (Date.now() > deadline) {
        await this.stop('immediate');
        throw new Error(`${this.#program.program} was not ready within ${startTimeoutMs} ms.`);
      }
      await sleep(10);
    }
  }

  #markStopped(): void {
    this.#child = null;
    this.#program.watchdog.guard([]);
  }
}

class PortTakenError extends Error {}

const exclude = (pids: number[], excludedPids: number[]) => pids.filter((pid) => !excludedPids.includes(pid));

const hasExited = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('The process was never started.');
  return child.pid;
}

function signalAll(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // The process may have exited after it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/**
 * Returns the child processes of a process. PostgreSQL's child processes have their own process groups, so a signal to
 * the first process's group would not reach them. Without /proc (macOS), pausing stops only the first process.
 */
function childrenOf(parent: number): number[] {
  return listPids().filter((pid) => parentOf(pid) === parent);
}

function listPids(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state parent …": the name may contain anything, including brackets.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
