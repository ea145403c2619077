import { whenNothingRuns } from '@portico/dependencies';
import type { Database as Connection, Statement } from 'better-sqlite3';

/**
 * One snapshot for all reads on a connection until nothing runs any more: of the 5 µs of a read by key, beginning and
 * ending one of its own takes 2. Nothing arrives meanwhile, so it is younger than every request that is judged by it.
 */
export class SharedSnapshot {
  readonly #connection: Connection;
  readonly #begin: Statement;
  readonly #end: Statement;
  #isOpen = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#begin = connection.prepare('begin');
    this.#end = connection.prepare('commit');
  }

  /** Before a read. The first read of the snapshot decides what it sees. */
  share(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    whenNothingRuns(() => this.end());
  }

  /** Before the connection writes: what is read after it sees it. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#end.run();
    } catch (error) {
      // A read that failed may have ended it.
      if (this.#connection.inTransaction) throw error;
    }
  }
}
