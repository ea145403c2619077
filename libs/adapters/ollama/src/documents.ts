import { notSentInTime, OllamaFailure } from './ollama-failure.ts';
import { piecesOf, vectorOfPieces, type Piece } from './text-pieces.ts';
import type { EmbeddedText } from './text-requests.ts';

/** Pieces whose vectors are kept: 4 MB with their texts. */
const keptMax = 1_024;

type EmbedPiece = (text: string, signal: AbortSignal, isBehind: boolean) => Promise<EmbeddedText>;

/**
 * Embeds documents piece by piece. The vectors of one that is not embedded in time are kept, so that the next attempt
 * goes on from there.
 */
export class Documents {
  readonly #embedPiece: EmbedPiece;
  readonly #kept = new Map<string, Promise<EmbeddedText>>();

  constructor(embedPiece: EmbedPiece) {
    this.#embedPiece = embedPiece;
  }

  /** All pieces by one model. Requests no piece after the signal is aborted, but keeps what was requested before. */
  async embed(text: string, signal: AbortSignal, isBehind: boolean): Promise<EmbeddedText> {
    const pieces = piecesOf(text);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const embedded: (EmbeddedText & Piece)[] = [];
      for (const piece of pieces) embedded.push({ ...piece, ...(await this.#vectorOf(piece, signal, isBehind)) });
      const modelId = embedded.at(-1)?.modelId ?? '';
      const others = embedded.filter((piece) => piece.modelId !== modelId);
      for (const piece of others.length > 0 ? others : pieces) this.#kept.delete(piece.text);
      if (others.length === 0) return { modelId, vector: vectorOfPieces(embedded) };
    }
    throw new OllamaFailure('server', 'The Ollama model changed repeatedly while a document was embedded');
  }

  /** A request that is still under way is not sent again. */
  async #vectorOf({ text }: Piece, signal: AbortSignal, isBehind: boolean): Promise<EmbeddedText> {
    const known = this.#kept.get(text);
    if (known) return known;
    if (signal.aborted) throw notSentInTime();
    const embedded = this.#embedPiece(text, signal, isBehind).catch((error: unknown) => {
      this.#kept.delete(text);
      throw error;
    });
    this.#kept.set(text, embedded);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > keptMax && !oldest.done) this.#kept.delete(oldest.value);
    return embedded;
  }
}
