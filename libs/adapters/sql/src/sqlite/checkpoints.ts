import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '@portico/dependencies';

/** The `workerData` of the thread. */
export interface CheckpointThreadData {
  readonly file: string;
  /** The thread leaves fewer pages than this in the log. */
  readonly pagesMin: number;
}

export type CheckpointCommand = 'checkpoint' | 'close';

const pagesMin = 1_000;
const pageBytes = 4_096;
/** The delay after a commit, which lets many commits share one check of the log. */
const checkDelayMs = 100;

/**
 * Copies committed pages from the log into the database file in a separate thread, which starts once there are many
 * such pages. A commit that copies them itself, as SQLite does at `wal_autocheckpoint` pages, blocks the event loop
 * until all pages are written and synced: for a tenth of a second after a large change. That remains the fallback if
 * the thread cannot keep up, or fails.
 */
export class Checkpoints {
  readonly #file: string;
  readonly #log: Pick<Log, 'warn'> | null;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #pendingCheckpoint: Promise<unknown> | null = null;
  #isStopped = false;
  #hasFailed = false;

  constructor(file: string, log: Pick<Log, 'warn'> | null = null) {
    this.#file = file;
    this.#log = log;
  }

  /** Schedules a checkpoint. Must be called after each commit. */
  onCommit(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#pendingCheckpoint ??= this.#checkpoint()
        .catch((error: unknown) => this.#stop(error))
        .then(() => (this.#pendingCheckpoint = null));
    }, checkDelayMs).unref();
  }

  /** Resolves once the thread has closed its connection. */
  async close(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#pendingCheckpoint;
    await this.#send('close', 'exit').catch((error: unknown) => this.#stop(error));
  }

  async #checkpoint(): Promise<void> {
    // The file does not shrink: once it is large, only the thread knows how much of it is in use.
    if (!this.#worker && (await stat(`${this.#file}-wal`)).size < pagesMin * pageBytes) return;
    this.#worker ??= this.#start();
    await this.#send('checkpoint', 'message');
  }

  /** Keeps the process alive until the command has been carried out. Rejects if the thread fails. */
  async #send(command: CheckpointCommand, event: 'message' | 'exit'): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const listeners = new AbortController();
    worker.ref();
    worker.postMessage(command);
    try {
      await Promise.race([event, 'exit'].map((name) => once(worker, name, { signal: listeners.signal })));
    } finally {
      // Removes the listeners of the events that did not occur; otherwise each command would leak them.
      listeners.abort();
      worker.unref();
    }
  }

  #start(): Worker {
    const module = `./checkpoint-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    const workerData: CheckpointThreadData = { file: this.#file, pagesMin };
    const worker = new Worker(new URL(module, import.meta.url), { workerData, name: 'checkpoints' });
    worker.unref();
    worker.on('exit', () => (this.#worker = null));
    // A pending command rejects if the thread fails. If it fails while idle, the next checkpoint starts a new thread.
    worker.on('error', () => undefined);
    return worker;
  }

  #stop(error: unknown): void {
    this.#isStopped = true;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#log?.warn(
      { err: error },
      'The thread that copies the SQLite log into the database file failed: until the next restart, commits copy it and take longer',
    );
  }
}
