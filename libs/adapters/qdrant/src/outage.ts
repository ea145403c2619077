import { QdrantFailure, type FailureKind } from './qdrant-failure.ts';
import { TookTooLong } from './within.ts';

interface Log {
  readonly warn: (message: string, facts?: object) => void;
  readonly info: (message: string, facts?: object) => void;
}

/** Nothing new is known: it is as it was. */
export class StillOut extends Error {}

/**
 * Why searches are answered by the database at present; each change is one line of the log. It is over once Qdrant has
 * answered a search: that everything else works does not show that it does.
 */
export class Outage {
  readonly #place: string;
  readonly #log: Log;
  #cause: FailureKind | 'filling' | 'unknown' | null = null;
  #isOn = false;

  constructor(place: string, log: Log) {
    this.#place = place;
    this.#log = log;
  }

  /** Whether nobody should wait for it. */
  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error: unknown): void {
    if (error instanceof StillOut) return;
    this.#isOn = true;
    const cause = causeOf(error);
    // That it is left alone is no other cause than that for which it is.
    if (cause === 'left alone' && this.#cause !== null) return;
    if (cause === this.#cause) return;
    this.#cause = cause;
    const facts = { qdrant: this.#place };
    if (cause === 'filling') {
      this.#log.info('The vectors are being written to Qdrant; the database answers searches meanwhile', facts);
    } else if (cause === 'missing') {
      this.#log.info('The collection in Qdrant is another by now; the database answers until it is ready', facts);
    } else if (error instanceof QdrantFailure) {
      this.#log.warn('Qdrant is of no use; the database answers searches', { ...facts, reason: error.message });
    } else {
      this.#log.warn('The vectors in Qdrant could not be brought up to date', { ...facts, err: error });
    }
  }

  /** It has all that searches need: the next one waits for its answer. */
  ready(): void {
    this.#isOn = false;
  }

  end(): void {
    this.#isOn = false;
    if (this.#cause === null) return;
    this.#cause = null;
    this.#log.info('Qdrant answers searches again', { qdrant: this.#place });
  }
}

const causeOf = (error: unknown): FailureKind | 'filling' | 'unknown' => {
  if (error instanceof TookTooLong) return 'filling';
  return error instanceof QdrantFailure ? error.kind : 'unknown';
};
