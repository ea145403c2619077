import { createOutage, TookTooLong, type Log, type Outage } from '@portico/dependencies';
import { QdrantFailure, type FailureKind } from './qdrant-failure.ts';

/** Nothing new is known: the state stays as it was. */
export class StillOut extends Error {}

/**
 * Why the database currently answers searches; logs each change. It ends once Qdrant has answered a search, since
 * nothing else proves that searches work.
 */
export class SearchOutage {
  readonly #outage: Outage;
  #isOn = false;

  /** `of`: what is searched for. */
  constructor(place: string, of: 'collections' | 'operations', log: Log) {
    this.#outage = createOutage(log, { back: 'Qdrant answers searches again', fields: { qdrant: place, of } });
  }

  /** Whether searches should not wait for Qdrant. */
  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error: unknown): void {
    if (error instanceof StillOut) return;
    this.#isOn = true;
    const kind = kindOf(error);
    // An open circuit breaker is not a new cause.
    if (kind === 'left alone' && this.#outage.kind !== null) return;
    if (kind === 'filling' || kind === 'missing') {
      this.#outage.begin({ kind, level: 'info', message: preparing[kind] });
    } else if (error instanceof QdrantFailure) {
      const message = 'Qdrant is unavailable; the database answers searches';
      this.#outage.begin({ kind, message, fields: { reason: error.message } });
    } else {
      this.#outage.begin({
        kind,
        message: 'Qdrant could not be updated; the database answers searches',
        fields: { err: error },
      });
    }
  }

  /** It has all that searches need: the next one waits for its response. */
  ready(): void {
    this.#isOn = false;
  }

  end(): void {
    this.#isOn = false;
    this.#outage.end();
  }
}

const preparing = {
  filling: 'The vectors are being written to Qdrant; the database answers searches meanwhile',
  missing: 'The collection in Qdrant was replaced; the database answers searches until the new one is ready',
} as const;

const kindOf = (error: unknown): FailureKind | 'filling' | 'unknown' => {
  if (error instanceof TookTooLong) return 'filling';
  return error instanceof QdrantFailure ? error.kind : 'unknown';
};
