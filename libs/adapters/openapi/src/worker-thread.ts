import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { PorticoError, type Deadline } from '@portico/domain';

/** When an order is no longer wanted. */
export type Expiry = Pick<Deadline, 'expired' | 'onExpired'>;

export interface ThreadLimits {
  readonly memoryMegabytes: number;
  readonly timeLimitMs: number;
}

export interface ThreadOptions<Order> extends Pick<ThreadLimits, 'memoryMegabytes'> {
  readonly timeLimitMs: (order: Order) => number;
  /** The module that the thread runs, beside this file, without its extension. */
  readonly module: string;
  readonly name: string;
  /** What the module finds as its `workerData`. */
  readonly data?: unknown;
  /**
   * After a large order the thread ends, and gives back its memory; others have their turn before the outcome is used. By
   * default no order is.
   */
  readonly isLarge?: (order: Order) => boolean;
  /** What an order is refused with that takes too long, or more memory than there is. */
  readonly tooSlow: (limitMs: number) => PorticoError;
  readonly tooLarge: (cause: unknown) => PorticoError;
}

/** Beside this file and with its extension, since both the sources and the built files run. */
const fileOf = (module: string): URL =>
  new URL(`./${module}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A thread that carries out one order at a time. If an order kills it, the next order gets a new thread. */
export class WorkerThread<Order, Outcome> {
  readonly #options: ThreadOptions<Order>;
  #worker: Worker | null = null;

  constructor(options: ThreadOptions<Order>) {
    this.#options = options;
  }

  /**
   * Call it only when the previous order is done. The buffers are transferred, not copied. If the deadline expires, the
   * thread is ended: its outcome is no longer needed.
   */
  run(order: Order, transferred: readonly ArrayBuffer[], deadline: Expiry | null): Promise<Outcome> {
    const worker = (this.#worker ??= this.#start());
    const { name, tooSlow, tooLarge } = this.#options;
    const limitMs = this.#options.timeLimitMs(order);
    // Once it is posted, its bytes are gone.
    const isLarge = this.#options.isLarge?.(order) ?? false;
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
      const done = (outcome: Outcome): void => {
        over(() => resolve(isLarge ? othersTurn().then(() => outcome) : outcome));
        if (isLarge) void this.close();
      };
      const died = (error: NodeJS.ErrnoException): void =>
        gone(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(error) : new PorticoError('internal', { cause: error }),
        );
      const ended = (): void => gone(new PorticoError('internal', { because: `the ${name} was closed` }));
      const end = (because: PorticoError): void => {
        gone(because);
        void worker.terminate();
      };
      const timer = setTimeout(() => end(tooSlow(limitMs)), limitMs);
      const forget = deadline?.onExpired(() => end(new PorticoError('timed_out')));

      worker.on('message', done).on('error', died).on('exit', ended);
      worker.ref();
      worker.postMessage(order, transferred);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const { module, name, data, memoryMegabytes } = this.#options;
    const worker = new Worker(fileOf(module), {
      name: name.replaceAll(' ', '-'),
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, maxYoungGenerationSizeMb: 16 },
    });
    // Between two orders too: a dead thread is not used again, and no error event lacks a listener.
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = null;
    };
    worker.on('error', forget).on('exit', forget);
    // An idle thread must not keep the process alive.
    worker.unref();
    return worker;
  }
}

/**
 * Taking over a large outcome held the event loop, and what is done with it will too, and its transaction. The first
 * immediate comes before the loop looks for what others have sent, the second after it, and the third after what they
 * write in the turn that is theirs.
 */
async function othersTurn(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
