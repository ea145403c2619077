import { createNotSentFailure, OllamaFailure } from './ollama-failure.ts';
import { piecesOf, computeMeanVector, type Piece } from './text-pieces.ts';
import type { EmbeddedText } from './text-requests.ts';

/** The maximum number of cached pieces: 4 MB, including their texts. */
const cachedPiecesMax = 1_024;

type EmbedPiece = (text: string, signal: AbortSignal, isLowPriority: boolean) => Promise<EmbeddedText>;

/**
 * Embeds documents piece by piece. If a document is not embedded in time, the vectors of its pieces are cached, so that
 * the next attempt resumes from there.
 */
export class Documents {
  readonly #embedPiece: EmbedPiece;
  readonly #cache = new Map<string, Promise<EmbeddedText>>();

  constructor(embedPiece: EmbedPiece) {
    this.#embedPiece = embedPiece;
  }

  /**
   * Embeds all pieces of a document with one model. After an abort, it requests no further pieces, but caches those
   * already requested.
   */
  async embed(text: string, signal: AbortSignal, isLowPriority: boolean): Promise<EmbeddedText> {
    const pieces = piecesOf(text);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const embeddedPieces: (EmbeddedText & Piece)[] = [];
      for (const piece of pieces)
        embeddedPieces.push({ ...piece, ...(await this.#vectorOf(piece, signal, isLowPriority)) });
      const modelId = embeddedPieces.at(-1)?.modelId ?? '';
      const outdatedPieces = embeddedPieces.filter((piece) => piece.modelId !== modelId);
      for (const piece of outdatedPieces.length > 0 ? outdatedPieces : pieces) this.#cache.delete(piece.text);
      if (outdatedPieces.length === 0) return { modelId, vector: computeMeanVector(embeddedPieces) };
    }
    throw new OllamaFailure('server', 'The Ollama model changed repeatedly while a document was embedded');
  }

  /** Returns the vector of a piece. Does not send a request again while it is in flight. */
  async #vectorOf({ text }: Piece, signal: AbortSignal, isLowPriority: boolean): Promise<EmbeddedText> {
    const cachedEmbedding = this.#cache.get(text);
    if (cachedEmbedding) return cachedEmbedding;
    if (signal.aborted) throw createNotSentFailure();
    const embedding = this.#embedPiece(text, signal, isLowPriority).catch((error: unknown) => {
      this.#cache.delete(text);
      throw error;
    });
    this.#cache.set(text, embedding);
    const oldest = this.#cache.keys().next();
    if (this.#cache.size > cachedPiecesMax && !oldest.done) this.#cache.delete(oldest.value);
    return embedding;
  }
}
