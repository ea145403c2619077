import type { Deadline } from '@portico/domain';

/**
 * The shared deadline of work that several requests wait for. It expires once all of their deadlines have; null never
 * expires.
 */
export class SharedDeadline implements Pick<Deadline, 'hasExpired' | 'onExpired'> {
  #waitingCount = 0;
  readonly #onExpired = new Set<() => void>();

  constructor(firstDeadline: Deadline | null) {
    this.join(firstDeadline);
  }

  get hasExpired(): boolean {
    return this.#waitingCount === 0;
  }

  join(deadline: Deadline | null): void {
    this.#waitingCount++;
    deadline?.onExpired(() => {
      this.#waitingCount--;
      if (this.hasExpired) for (const callback of this.#onExpired) callback();
    });
  }

  onExpired(callback: () => void): () => void {
    if (this.hasExpired) callback();
    else this.#onExpired.add(callback);
    return () => this.#onExpired.delete(callback);
  }
}
