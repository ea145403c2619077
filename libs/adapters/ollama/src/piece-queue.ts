import { notSentInTime, OllamaFailure } from './ollama-failure.ts';
import type { EmbeddedText } from './text-requests.ts';

export interface PieceQueueOptions {
  /** Embeds a text with one request. */
  readonly send: (text: string) => Promise<EmbeddedText>;
  /** The maximum number of waiting pieces. Further pieces fail immediately. */
  readonly waitingMax: number;
  /** The maximum time that a piece waits for queries. */
  readonly pieceWaitMs: number;
  /** The maximum time that a low-priority piece waits for queries and other pieces. */
  readonly lowPriorityWaitMs: number;
}

interface WaitingPiece {
  readonly text: string;
  readonly isLowPriority: boolean;
  /** The time when the piece was added, on the monotonic clock. */
  readonly since: number;
  readonly resolve: (embedded: EmbeddedText) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the pieces of documents one by one. A piece is not sent while there are queries, unless it has waited for a
 * long time. The server processes one text at a time, so a query waits only for the piece that was sent before it.
 */
export class PieceQueue {
  readonly #options: PieceQueueOptions;
  readonly #waiting = new Set<WaitingPiece>();
  #isSending = false;
  #queries = 0;

  constructor(options: PieceQueueOptions) {
    this.#options = options;
  }

  /**
   * Embeds a piece. If the signal is aborted while the piece is waiting, the piece is not sent, and fails as `busy`.
   */
  async embed(text: string, signal: AbortSignal, isLowPriority: boolean): Promise<EmbeddedText> {
    if (this.#waiting.size >= this.#options.waitingMax) throw new OllamaFailure('busy', 'too many texts are waiting');
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedText>();
    const piece: WaitingPiece = { text, isLowPriority, since: performance.now(), resolve, reject };
    const cancel = () => this.#waiting.delete(piece) && reject(notSentInTime());
    signal.addEventListener('abort', cancel, { once: true });
    this.#waiting.add(piece);
    this.#sendNext();
    return promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** Runs a query, which pieces wait for. */
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

  #next(): WaitingPiece | undefined {
    const { pieceWaitMs, lowPriorityWaitMs } = this.#options;
    const now = performance.now();
    const waiting = [...this.#waiting];
    const due = waiting.find(
      ({ isLowPriority, since }) => now - since >= (isLowPriority ? lowPriorityWaitMs : pieceWaitMs),
    );
    if (due || this.#queries > 0) return due;
    return waiting.find(({ isLowPriority }) => !isLowPriority) ?? waiting[0];
  }
}
