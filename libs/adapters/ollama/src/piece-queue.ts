import { createNotSentFailure, OllamaFailure } from './ollama-failure.ts';
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
  readonly addedAt: number;
  readonly resolve: (result: EmbeddedText) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the pieces of documents one by one. A piece is not sent while there are queries, unless it has waited for a
 * long time. The server processes one text at a time, so a query waits only for the piece that was sent before it.
 */
export class PieceQueue {
  readonly #options: PieceQueueOptions;
  readonly #waitingPieces = new Set<WaitingPiece>();
  #isSending = false;
  #queryCount = 0;

  constructor(options: PieceQueueOptions) {
    this.#options = options;
  }

  /**
   * Embeds a piece. If the signal is aborted while the piece is waiting, the piece is not sent, and fails as `busy`.
   */
  async embed(text: string, signal: AbortSignal, isLowPriority: boolean): Promise<EmbeddedText> {
    if (this.#waitingPieces.size >= this.#options.waitingMax)
      throw new OllamaFailure('busy', 'too many texts are waiting');
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedText>();
    const piece: WaitingPiece = { text, isLowPriority, addedAt: performance.now(), resolve, reject };
    const cancel = () => this.#waitingPieces.delete(piece) && reject(createNotSentFailure());
    signal.addEventListener('abort', cancel, { once: true });
    this.#waitingPieces.add(piece);
    this.#sendNext();
    return promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** Runs a query, which pieces wait for. */
  async runQuery<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#queryCount += 1;
    try {
      return await task();
    } finally {
      this.#queryCount -= 1;
      this.#sendNext();
    }
  }

  #sendNext(): void {
    const piece = this.#isSending ? undefined : this.#findNext();
    if (!piece) return;
    this.#waitingPieces.delete(piece);
    this.#isSending = true;
    void this.#options
      .send(piece.text)
      .then(piece.resolve, piece.reject)
      .finally(() => {
        this.#isSending = false;
        this.#sendNext();
      });
  }

  #findNext(): WaitingPiece | undefined {
    const { pieceWaitMs, lowPriorityWaitMs } = this.#options;
    const now = performance.now();
    const waitingPieces = [...this.#waitingPieces];
    const overduePiece = waitingPieces.find(
      ({ isLowPriority, addedAt }) => now - addedAt >= (isLowPriority ? lowPriorityWaitMs : pieceWaitMs),
    );
    if (overduePiece || this.#queryCount > 0) return overduePiece;
    return waitingPieces.find(({ isLowPriority }) => !isLowPriority) ?? waitingPieces[0];
  }
}
