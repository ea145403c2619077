import { createOutage, TimeoutExceeded, type Log, type Outage } from '@portico/dependencies';
import { QdrantFailure, type FailureKind } from './qdrant-failure.ts';

/** An error that provides no new information, so that the outage state does not change. */
export class NoStateChangeError extends Error {}

/**
 * Tracks why searches currently fall back to the database, and logs each change. The outage ends once Qdrant has
 * responded to a search, because nothing else proves that searches work.
 */
export class SearchOutage {
  readonly #outage: Outage;
  #isActive = false;

  /** `searchedKind` is the kind of object that is searched. */
  constructor(host: string, searchedKind: 'collections' | 'operations', log: Log) {
    this.#outage = createOutage(log, {
      recoveryMessage: 'Searches use Qdrant again',
      fields: { qdrant: host, of: searchedKind },
    });
  }

  /** Whether searches should not wait for Qdrant. */
  get isActive(): boolean {
    return this.#isActive;
  }

  begin(error: unknown): void {
    if (error instanceof NoStateChangeError) return;
    this.#isActive = true;
    const kind = kindOf(error);
    // An open circuit breaker is not a new cause.
    if (kind === 'circuit open' && this.#outage.kind !== null) return;
    if (kind === 'filling' || kind === 'missing') {
      this.#outage.start({ kind, level: 'info', message: preparationMessages[kind] });
    } else if (error instanceof QdrantFailure) {
      const message = 'Qdrant is unavailable: searches use the database';
      this.#outage.start({ kind, message, fields: { reason: error.message } });
    } else {
      this.#outage.start({
        kind,
        message: 'Qdrant could not be updated: searches use the database',
        fields: { err: error },
      });
    }
  }

  /** Records that Qdrant is up to date, so that the next search waits for its response. */
  markReady(): void {
    this.#isActive = false;
  }

  end(): void {
    this.#isActive = false;
    this.#outage.end();
  }
}

const preparationMessages = {
  filling: 'The vectors are being written to Qdrant: searches use the database in the meantime',
  missing: 'The collection in Qdrant was replaced: searches use the database until the new one is ready',
} as const;

const kindOf = (error: unknown): FailureKind | 'filling' | 'unknown' => {
  if (error instanceof TimeoutExceeded) return 'filling';
  return error instanceof QdrantFailure ? error.kind : 'unknown';
};
