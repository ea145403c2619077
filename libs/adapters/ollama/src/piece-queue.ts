import { notSentInTime, OllamaFailure } from './ollama-failure.ts';
import type { EmbeddedText } from './text-requests.ts';

export interface PieceQueueOptions {
  /** Embeds a text with one request. */
  readonly send: (text: string) => Promise<EmbeddedText>;
  /** Pieces that may wait; one more fails at once. */
  readonly waitingMax: number;
  /** How long a piece waits for queries. */
  readonly pieceWaitMs: number;
  /** How long a piece that is `isBehind` waits for queries and for other pieces. */
  readonly behindMs: number;
}

interface Waiting {
  readonly text: string;
  readonly isBehind: boolean;
  /** On the monotonic clock. */
  readonly since: number;
  readonly resolve: (embedded: EmbeddedText) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the pieces of documents one by one, and none while there are queries, unless it has waited for long: the server
 * works on one text at a time, so a query waits for the piece that was sent before it, and for no other.
 */
export class PieceQueue {
  readonly #options: PieceQueueOptions;
  readonly #waiting = new Set<Waiting>();
  #isSending = false;
  #queries = 0;

  constructor(options: PieceQueueOptions) {
    this.#options = options;
  }

  /** A piece whose signal is aborted before its turn is never sent, and fails as `busy`. */
  async embed(text: string, signal: AbortSignal, isBehind: boolean): Promise<EmbeddedText> {
    if (this.#waiting.size >= this.#options.waitingMax) throw new OllamaFailure('busy', 'too many texts are waiting');
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedText>();
    const piece: Waiting = { text, isBehind, since: performance.now(), resolve, reject };
    const leave = () => this.#waiting.delete(piece) && reject(notSentInTime());
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(piece);
    this.#sendNext();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Runs a query, for which pieces wait. */
  async query<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#queries += 1;
    try {
      return await task();
    } finally {
      this.#queries -= 1;
      this.#sendNext();
    }
  }

  #sendNext(): void {
    const next = this.#isSending ? undefined : this.#next();
    if (!next) return;
    this.#waiting.delete(next);
    this.#isSending = true;
    void this.#options
      .send(next.text)
      .then(next.resolve, next.reject)
      .finally(() => {
        this.#isSending = false;
        this.#sendNext();
      });
  }

  #next(): Waiting | undefined {
    const { pieceWaitMs, behindMs } = this.#options;
    const now = performance.now();
    const waiting = [...this.#waiting];
    const due = waiting.find(({ isBehind, since }) => now - since >= (isBehind ? behindMs : pieceWaitMs));
    if (due || this.#queries > 0) return due;
    return waiting.find(({ isBehind }) => !isBehind) ?? waiting[0];
  }
}
