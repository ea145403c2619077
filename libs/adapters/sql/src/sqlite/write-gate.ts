/** Lets one piece of work in at a time, in the order in which they came. */
export class WriteGate {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  enter<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The database is closed.'));
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Lets nobody else in; fulfilled once the last one has left. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}
