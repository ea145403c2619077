import { PorticoError, type Deadline } from '@portico/domain';

/** Rings once after so many milliseconds; returns how to stop it before. */
export type Timer = (milliseconds: number, ring: () => void) => () => void;

export const systemTimer: Timer = (milliseconds, ring) => {
  const timer = setTimeout(ring, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * The time within which an answer begins, from the last byte of its request on. It ends in one of two ways: it expires, which is
 * answered there and then, and whatever comes of the work after that is given up; or a commit or the answer has begun before.
 */
export class AnswerDeadline implements Deadline {
  readonly #timer: Timer;
  readonly #timeoutMs: number;
  readonly #answerExpiry: () => void;
  readonly #onExpired = new Set<() => void>();
  #state: 'open' | 'settled' | 'expired' = 'open';
  #stop: (() => void) | null = null;

  constructor(timer: Timer, timeoutMs: number, answerExpiry: () => void) {
    this.#timer = timer;
    this.#timeoutMs = timeoutMs;
    this.#answerExpiry = answerExpiry;
    this.restart();
  }

  get expired(): boolean {
    return this.#state === 'expired';
  }

  beginCommit(): void {
    if (!this.settle()) throw new PorticoError('timed_out');
  }

  onExpired(callback: () => void): () => void {
    if (this.expired) callback();
    else this.#onExpired.add(callback);
    return () => this.#onExpired.delete(callback);
  }

  /** The answer is known: it expires no more. False where it has. */
  settle(): boolean {
    if (this.#state === 'open') this.#state = 'settled';
    this.suspend();
    return !this.expired;
  }

  /** Stands still, while the client is still sending. */
  suspend(): void {
    this.#stop?.();
    this.#stop = null;
  }

  /** The whole time begins anew. */
  restart(): void {
    if (this.#state === 'open') this.#stop ??= this.#timer(this.#timeoutMs, () => this.#expire());
  }

  #expire(): void {
    this.#state = 'expired';
    this.#answerExpiry();
    for (const callback of this.#onExpired) callback();
    this.#onExpired.clear();
  }
}
