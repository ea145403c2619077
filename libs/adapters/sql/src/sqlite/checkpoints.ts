import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '@portico/dependencies';

/** What the thread finds as its `workerData`. */
export interface CheckpointThreadData {
  readonly file: string;
  /** Fewer pages are left in the log. */
  readonly pagesMin: number;
}

export type CheckpointOrder = 'checkpoint' | 'close';

const pagesMin = 1_000;
const pageBytes = 4_096;
/** After a commit, so that many share one look at the log. */
const lookAfterMs = 100;

/**
 * Copies committed pages from the log into the database file in a thread of its own, which starts once there are many.
 * A commit that does it itself, as SQLite does at `wal_autocheckpoint` pages, holds the event loop until all of them are
 * written and synced: after a large change, for a tenth of a second. That stays in place for what the thread does not
 * keep up with, and if it fails.
 */
export class Checkpoints {
  readonly #file: string;
  readonly #log: Pick<Log, 'warn'> | null;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #asked: Promise<unknown> | null = null;
  #isOver = false;
  #hasFailed = false;

  constructor(file: string, log: Pick<Log, 'warn'> | null = null) {
    this.#file = file;
    this.#log = log;
  }

  /** Tells that something was committed. */
  committed(): void {
    if (this.#isOver) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#asked ??= this.#checkpoint()
        .catch((error: unknown) => this.#giveUp(error))
        .then(() => (this.#asked = null));
    }, lookAfterMs).unref();
  }

  /** Resolves once the thread has closed its connection. */
  async close(): Promise<void> {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#asked;
    await this.#order('close', 'exit').catch((error: unknown) => this.#giveUp(error));
  }

  async #checkpoint(): Promise<void> {
    // The file does not shrink: once it is large, only the thread knows how much of it is in use.
    if (!this.#worker && (await stat(`${this.#file}-wal`)).size < pagesMin * pageBytes) return;
    this.#worker ??= this.#start();
    await this.#order('checkpoint', 'message');
  }

  /** Keeps the process alive until it is carried out. Rejects if the thread fails. */
  async #order(order: CheckpointOrder, event: 'message' | 'exit'): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const waiting = new AbortController();
    worker.ref();
    worker.postMessage(order);
    try {
      await Promise.race([event, 'exit'].map((name) => once(worker, name, { signal: waiting.signal })));
    } finally {
      // What has not come is waited for no longer, or each order would leave listeners behind.
      waiting.abort();
      worker.unref();
    }
  }

  #start(): Worker {
    const module = `./checkpoint-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    const workerData: CheckpointThreadData = { file: this.#file, pagesMin };
    const worker = new Worker(new URL(module, import.meta.url), { workerData, name: 'checkpoints' });
    worker.unref();
    worker.on('exit', () => (this.#worker = null));
    // Whoever waits for the thread rejects with it; another one starts after it has ended while nobody waited.
    worker.on('error', () => undefined);
    return worker;
  }

  #giveUp(error: unknown): void {
    this.#isOver = true;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#log?.warn(
      { err: error },
      'The thread that copies the log of SQLite into its file failed: until the next start commits do it, and take longer',
    );
  }
}
