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
  readonly terminatesOnExpiry: boolean;
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
  readonly #threads: readonly WorkerThread<Task, Result>[];
  readonly #idleThreads: WorkerThread<Task, Result>[];
  readonly #options: QueueOptions<Task>;
  readonly #waitingJobs: Job<Task, Result>[] = [];
  #isClosed = false;

  constructor(threads: readonly WorkerThread<Task, Result>[], options: QueueOptions<Task>) {
    this.#threads = threads;
    this.#idleThreads = [...threads];
    this.#options = options;
  }

  /** Returns the result of the task. Throws `timed_out` if the deadline expires while the task is waiting. */
  run(task: Task, deadline: Expiry | null): Promise<Result> {
    if (this.#isClosed) return Promise.reject(this.#createClosedError('is'));
    if (deadline?.hasExpired) return Promise.reject(new PorticoError('timed_out'));
    if (this.#idleThreads.length === 0 && this.#isFull(task)) return Promise.reject(this.#createQueueFullError());
    return new Promise((resolve) => {
      const settle = (result: Promise<Result>): void => {
        unsubscribe?.();
        resolve(result);
      };
      const job = { task, deadline, settle };
      const unsubscribe = deadline?.onExpired(() => this.#expire(job));
      this.#waitingJobs.push(job);
      this.#startNext();
    });
  }

  /** Terminates the threads. Rejects running, waiting and later tasks with `internal`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waitingJobs.splice(0)) job.settle(Promise.reject(this.#createClosedError('was')));
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #startNext(): void {
    while (this.#waitingJobs.length > 0 && this.#idleThreads.length > 0) {
      const job = this.#waitingJobs.shift();
      const thread = this.#idleThreads.pop();
      if (!job || !thread) return;
      const { transferOf, terminatesOnExpiry } = this.#options;
      const result = thread.run(job.task, transferOf(job.task), terminatesOnExpiry ? job.deadline : null);
      job.settle(result);
      const onDone = () => {
        this.#idleThreads.push(thread);
        this.#startNext();
      };
      result.then(onDone, onDone);
    }
  }

  /** Rejects a job that is still waiting. Once a thread has received a job, the thread is responsible for it. */
  #expire(job: Job<Task, Result>): void {
    const index = this.#waitingJobs.indexOf(job);
    if (index < 0) return;
    this.#waitingJobs.splice(index, 1);
    job.settle(Promise.reject(new PorticoError('timed_out')));
  }

  #isFull(task: Task): boolean {
    const { waitingMax, waitingBytesMax, bytesOf } = this.#options;
    return this.#waitingJobs.length >= waitingMax || this.#countWaitingBytes() + bytesOf(task) > waitingBytesMax;
  }

  #countWaitingBytes(): number {
    return this.#waitingJobs.reduce((sum, { task }) => sum + this.#options.bytesOf(task), 0);
  }

  #createQueueFullError(): PorticoError {
    const { itemsName } = this.#options;
    const waiting = `${this.#waitingJobs.length} ${itemsName} of ${this.#countWaitingBytes()} bytes are waiting`;
    return new PorticoError('internal', { cause: new Error(`${waiting} to be read: no more are accepted`) });
  }

  #createClosedError(verb: 'is' | 'was'): PorticoError {
    return new PorticoError('internal', { reason: `the ${this.#options.ownerName} ${verb} closed` });
  }
}
