import { PorticoError } from '@portico/domain';
import type { Expiry, WorkerThread } from './worker-thread.ts';

export interface QueueOptions<Task> {
  /** The names of the waiting items (plural) and of the component that processes them, for error messages. */
  readonly itemsName: string;
  readonly ownerName: string;
  readonly waitingMax: number;
  /** Maximum total size of the waiting tasks, in bytes. */
  readonly waitingBytesMax: number;
  readonly bytesOf: (task: Task) => number;
  /** Whether the thread is terminated if its task's deadline expires; otherwise, the thread finishes the task. */
  readonly expiryEndsThread: boolean;
  /** Returns the buffers that are transferred to the thread with a task. */
  readonly transferOf: (task: Task) => readonly ArrayBuffer[];
}

interface Job<Task, Result> {
  readonly task: Task;
  readonly deadline: Expiry | null;
  readonly settle: (result: Promise<Result>) => void;
}

/**
 * Assigns tasks to threads in order of arrival. Beyond the limits, new tasks are rejected immediately with `internal`.
 * Waiting tasks whose deadline expires are removed from the queue.
 */
export class ThreadQueue<Task, Result> {
  readonly #all: readonly WorkerThread<Task, Result>[];
  readonly #idle: WorkerThread<Task, Result>[];
  readonly #options: QueueOptions<Task>;
  readonly #waiting: Job<Task, Result>[] = [];
  #closed = false;

  constructor(threads: readonly WorkerThread<Task, Result>[], options: QueueOptions<Task>) {
    this.#all = threads;
    this.#idle = [...threads];
    this.#options = options;
  }

  /** Returns the result of the task. Throws `timed_out` if the deadline expires while the task is waiting. */
  run(task: Task, deadline: Expiry | null): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#closedError('is'));
    if (deadline?.expired) return Promise.reject(new PorticoError('timed_out'));
    if (this.#idle.length === 0 && this.#isFull(task)) return Promise.reject(this.#queueFullError());
    return new Promise((resolve) => {
      const settle = (result: Promise<Result>): void => {
        unsubscribe?.();
        resolve(result);
      };
      const job = { task, deadline, settle };
      const unsubscribe = deadline?.onExpired(() => this.#leave(job));
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Terminates the threads. Rejects running, waiting and later tasks with `internal`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.settle(Promise.reject(this.#closedError('was')));
    await Promise.all(this.#all.map((thread) => thread.close()));
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      const job = this.#waiting.shift();
      const thread = this.#idle.pop();
      if (!job || !thread) return;
      const { transferOf, expiryEndsThread } = this.#options;
      const result = thread.run(job.task, transferOf(job.task), expiryEndsThread ? job.deadline : null);
      job.settle(result);
      const done = () => {
        this.#idle.push(thread);
        this.#next();
      };
      result.then(done, done);
    }
  }

  /** Rejects a job that is still waiting. Once a thread has received a job, the thread is responsible for it. */
  #leave(job: Job<Task, Result>): void {
    const index = this.#waiting.indexOf(job);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    job.settle(Promise.reject(new PorticoError('timed_out')));
  }

  #isFull(task: Task): boolean {
    const { waitingMax, waitingBytesMax, bytesOf } = this.#options;
    return this.#waiting.length >= waitingMax || this.#waitingBytes() + bytesOf(task) > waitingBytesMax;
  }

  #waitingBytes(): number {
    return this.#waiting.reduce((sum, { task }) => sum + this.#options.bytesOf(task), 0);
  }

  #queueFullError(): PorticoError {
    const { itemsName } = this.#options;
    const waiting = `${this.#waiting.length} ${itemsName} of ${this.#waitingBytes()} bytes wait`;
    return new PorticoError('internal', { cause: new Error(`${waiting} to be read: no more are accepted`) });
  }

  #closedError(tense: 'is' | 'was'): PorticoError {
    return new PorticoError('internal', { because: `the ${this.#options.ownerName} ${tense} closed` });
  }
}
