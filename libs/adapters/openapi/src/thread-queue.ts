import { PorticoError } from '@portico/domain';
import type { Expiry, WorkerThread } from './worker-thread.ts';

export interface QueueOptions<Order> {
  /** What waits, in the plural, and who it waits for; for errors. */
  readonly what: string;
  readonly whom: string;
  readonly waitingMax: number;
  /** Most bytes of what waits together. */
  readonly waitingBytesMax: number;
  readonly bytesOf: (order: Order) => number;
  /** Whether an order whose deadline expires ends the thread that is at it; otherwise the thread finishes it. */
  readonly expiryEndsThread: boolean;
  /** Buffers that go over to the thread with an order. */
  readonly transferred: (order: Order) => readonly ArrayBuffer[];
}

interface Job<Order, Outcome> {
  readonly order: Order;
  readonly deadline: Expiry | null;
  readonly settle: (outcome: Promise<Outcome>) => void;
}

/**
 * Gives orders to threads, in order of arrival. Beyond the limits new ones are refused at once with `internal`, and
 * expired ones leave the queue.
 */
export class ThreadQueue<Order, Outcome> {
  readonly #all: readonly WorkerThread<Order, Outcome>[];
  readonly #idle: WorkerThread<Order, Outcome>[];
  readonly #options: QueueOptions<Order>;
  readonly #waiting: Job<Order, Outcome>[] = [];
  #closed = false;

  constructor(threads: readonly WorkerThread<Order, Outcome>[], options: QueueOptions<Order>) {
    this.#all = threads;
    this.#idle = [...threads];
    this.#options = options;
  }

  /** The order's outcome. Throws `timed_out` if the deadline expires while it waits. */
  run(order: Order, deadline: Expiry | null): Promise<Outcome> {
    if (this.#closed) return Promise.reject(this.#closedError('is'));
    if (deadline?.expired) return Promise.reject(new PorticoError('timed_out'));
    if (this.#idle.length === 0 && this.#isFull(order)) return Promise.reject(this.#overfull());
    return new Promise((resolve) => {
      const settle = (outcome: Promise<Outcome>): void => {
        forget?.();
        resolve(outcome);
      };
      const job = { order, deadline, settle };
      const forget = deadline?.onExpired(() => this.#leave(job));
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Ends the threads. Rejects running, waiting and later orders with `internal`. */
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
      const { transferred, expiryEndsThread } = this.#options;
      const outcome = thread.run(job.order, transferred(job.order), expiryEndsThread ? job.deadline : null);
      job.settle(outcome);
      const done = () => {
        this.#idle.push(thread);
        this.#next();
      };
      outcome.then(done, done);
    }
  }

  /** A job that a thread has taken is the thread's responsibility. */
  #leave(job: Job<Order, Outcome>): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    job.settle(Promise.reject(new PorticoError('timed_out')));
  }

  #isFull(order: Order): boolean {
    const { waitingMax, waitingBytesMax, bytesOf } = this.#options;
    return this.#waiting.length >= waitingMax || this.#waitingBytes() + bytesOf(order) > waitingBytesMax;
  }

  #waitingBytes(): number {
    return this.#waiting.reduce((sum, { order }) => sum + this.#options.bytesOf(order), 0);
  }

  #overfull(): PorticoError {
    const { what } = this.#options;
    const waiting = `${this.#waiting.length} ${what} of ${this.#waitingBytes()} bytes wait`;
    return new PorticoError('internal', { cause: new Error(`${waiting} to be read: no more are accepted`) });
  }

  #closedError(tense: 'is' | 'was'): PorticoError {
    return new PorticoError('internal', { because: `the ${this.#options.whom} ${tense} closed` });
  }
}
