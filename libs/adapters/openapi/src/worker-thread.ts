import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { PorticoError, type Deadline } from '@portico/domain';

/** The deadline of a task. */
export type Expiry = Pick<Deadline, 'hasExpired' | 'onExpired'>;

export interface ThreadLimits {
  readonly memoryMegabytes: number;
  readonly timeLimitMs: number;
}

export interface ThreadOptions<Task> extends Pick<ThreadLimits, 'memoryMegabytes'> {
  readonly timeLimitMsOf: (task: Task) => number;
  /** The module that the thread runs: a file in this folder, without its extension. */
  readonly module: string;
  readonly name: string;
  /** The module's `workerData`. */
  readonly data?: unknown;
  /**
   * Returns whether a task is large. After a large task, the thread exits, which releases its memory, and the event loop
   * runs other work before the result is used. By default, no task is large.
   */
  readonly isLarge?: (task: Task) => boolean;
  /** These create the error for a task that exceeds the time limit or the memory limit. */
  readonly createTimeoutError: (limitMs: number) => PorticoError;
  readonly createMemoryError: (cause: unknown) => PorticoError;
}

/**
 * Returns the URL of a module in this folder, with this file's extension, since both the sources and the built files
 * are run.
 */
const fileUrlOf = (module: string): URL =>
  new URL(`./${module}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A thread that runs one task at a time. If a task kills it, the next task gets a new thread. */
export class WorkerThread<Task, Result> {
  readonly #options: ThreadOptions<Task>;
  #worker: Worker | null = null;

  constructor(options: ThreadOptions<Task>) {
    this.#options = options;
  }

  /**
   * Runs a task. Must not be called until the previous task is done. The buffers are transferred, not copied. If the
   * deadline expires, the thread is terminated, since its result is no longer needed.
   */
  run(task: Task, transfer: readonly ArrayBuffer[], deadline: Expiry | null): Promise<Result> {
    const worker = (this.#worker ??= this.#start());
    const { name, createTimeoutError, createMemoryError } = this.#options;
    const limitMs = this.#options.timeLimitMsOf(task);
    // Evaluated before the task is posted, because posting detaches its bytes.
    const isLarge = this.#options.isLarge?.(task) ?? false;
    return new Promise<Result>((resolve, reject) => {
      const settleWith = (settle: () => void): void => {
        clearTimeout(timer);
        unsubscribe?.();
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        worker.unref();
        settle();
      };
      const fail = (error: PorticoError): void => {
        this.#worker = null;
        settleWith(() => reject(error));
      };
      const onMessage = (result: Result): void => {
        settleWith(() => resolve(isLarge ? yieldToEventLoop().then(() => result) : result));
        if (isLarge) void this.close();
      };
      const onError = (error: NodeJS.ErrnoException): void =>
        fail(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? createMemoryError(error)
            : new PorticoError('internal', { cause: error }),
        );
      const onExit = (): void => fail(new PorticoError('internal', { reason: `the ${name} was closed` }));
      const terminate = (error: PorticoError): void => {
        fail(error);
        void worker.terminate();
      };
      const timer = setTimeout(() => terminate(createTimeoutError(limitMs)), limitMs);
      const unsubscribe = deadline?.onExpired(() => terminate(new PorticoError('timed_out')));

      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.ref();
      worker.postMessage(task, transfer);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const { module, name, data, memoryMegabytes } = this.#options;
    const worker = new Worker(fileUrlOf(module), {
      name: name.replaceAll(' ', '-'),
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, maxYoungGenerationSizeMb: 16 },
    });
    // These listeners are also active between tasks, so that a dead thread is not reused and every error event has a
    // listener.
    const onDeath = (): void => {
      if (this.#worker === worker) this.#worker = null;
    };
    worker.on('error', onDeath).on('exit', onDeath);
    // An idle thread must not keep the process alive.
    worker.unref();
    return worker;
  }
}

/**
 * Lets other work run: receiving a large result blocked the event loop, and processing and storing it will block the
 * loop again. The first immediate runs before the loop polls for incoming data from other requests, the second runs
 * after that, and the third runs after the writes of those requests in that tick.
 */
async function yieldToEventLoop(): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) await setImmediate();
}
