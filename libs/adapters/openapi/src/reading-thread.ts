import { Worker } from 'node:worker_threads';
import { PorticoError, type Deadline } from '@portico/domain';
import type { Order, Outcome } from './messages.ts';

export interface ThreadLimits {
  readonly memoryMegabytes: number;
  readonly timeLimitMs: number;
}

/** Beside this file and with its extension, since both the sources and the built files run. */
const workerFile = new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A thread that reads one text at a time. If a text kills it, the next text gets a new thread. */
export class ReadingThread {
  readonly #limits: ThreadLimits;
  #worker: Worker | null = null;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
  }

  /**
   * Call it only when the previous read is over. The bytes are transferred. If the deadline expires, the thread is
   * ended: its result is no longer needed.
   */
  read(order: Order, deadline: Deadline | null): Promise<Outcome> {
    const worker = (this.#worker ??= this.#start());
    return new Promise<Outcome>((resolve, reject) => {
      const over = (settle: () => void): void => {
        clearTimeout(timer);
        forget?.();
        worker.off('message', done).off('error', died).off('exit', ended);
        worker.unref();
        settle();
      };
      const gone = (error: PorticoError): void => {
        this.#worker = null;
        over(() => reject(error));
      };
      const done = (outcome: Outcome): void => over(() => resolve(outcome));
      const died = (error: NodeJS.ErrnoException): void => gone(deathOf(error));
      const ended = (): void => gone(new PorticoError('internal', { because: 'the document reader was closed' }));
      const end = (because: PorticoError): void => {
        gone(because);
        void worker.terminate();
      };
      const timer = setTimeout(
        () => end(refused(`too large to be checked: it took over ${this.#limits.timeLimitMs / 1000} s`)),
        this.#limits.timeLimitMs,
      );
      const forget = deadline?.onExpired(() => end(new PorticoError('timed_out')));

      worker.on('message', done).on('error', died).on('exit', ended);
      worker.ref();
      worker.postMessage(order, [order.bytes.buffer]);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(workerFile, {
      name: 'document-reader',
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMegabytes, maxYoungGenerationSizeMb: 32 },
    });
    // Between two texts too: a dead thread is not used again, and no error event lacks a listener.
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = null;
    };
    worker.on('error', forget).on('exit', forget);
    // An idle thread must not keep the process alive.
    worker.unref();
    return worker;
  }
}

const refused = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_body', { because, cause });

function deathOf(error: NodeJS.ErrnoException): PorticoError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? refused('too large to be checked: it takes more memory than a document may', error)
    : new PorticoError('internal', { cause: error });
}
