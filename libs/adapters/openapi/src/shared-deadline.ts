import type { Deadline } from '@portico/domain';

/**
 * The shared deadline of work that several requests wait for. It expires once all of their deadlines have; null never
 * expires.
 */
export class SharedDeadline implements Pick<Deadline, 'expired' | 'onExpired'> {
  #waiting = 0;
  readonly #onExpired = new Set<() => void>();

  constructor(first: Deadline | null) {
    this.join(first);
  }

  get expired(): boolean {
    return this.#waiting === 0;
  }

  join(deadline: Deadline | null): void {
    this.#waiting++;
    deadline?.onExpired(() => {
      this.#waiting--;
      if (this.expired) for (const callback of this.#onExpired) callback();
    });
  }

  onExpired(callback: () => void): () => void {
    if (this.expired) callback();
    else this.#onExpired.add(callback);
    return () => this.#onExpired.delete(callback);
  }
}
