import { cutTokens, piecesMax, pieceTokensMax, estimateTokens } from './model-text.ts';

/** A part of a document that is embedded separately. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** The places where a text may be cut, in order of preference: after a sentence or a line, or between words. */
const boundaries = [/(?=\S)(?<=[.!?…]["')\]]*\s+|[。！？]\s*|\n\s*)/u, /(?=\S)(?<=\s)/u];

/**
 * Splits a document into at most 16 pieces, each with as many sentences as fit into 248 tokens. A longer sentence is
 * cut between words; a longer word is cut anywhere. A short text is always one piece.
 */
export const piecesOf = (text: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let currentPiece: Piece = { text: '', tokens: 0 };
  for (const part of partsOf(text)) {
    const tokens = estimateTokens(part);
    if (currentPiece.tokens > 0 && currentPiece.tokens + tokens > pieceTokensMax) {
      pieces.push(currentPiece);
      currentPiece = { text: '', tokens: 0 };
    }
    currentPiece = { text: currentPiece.text + part, tokens: currentPiece.tokens + tokens };
  }
  return [...pieces, currentPiece].slice(0, piecesMax);
};

/** Splits the whole text into parts of at most 248 tokens. */
const partsOf = (text: string, [boundary, ...otherBoundaries] = boundaries): readonly string[] => {
  if (estimateTokens(text) <= pieceTokensMax) return [text];
  if (boundary) return text.split(boundary).flatMap((part) => partsOf(part, otherBoundaries));
  const parts: string[] = [];
  for (let remainingText = text; remainingText !== '';) {
    const part = cutTokens(remainingText, pieceTokensMax);
    parts.push(part);
    remainingText = remainingText.slice(part.length);
  }
  return parts;
};

/**
 * Returns the mean of the vectors, weighted by tokens and normalized to unit length. A model also uses the mean of its
 * tokens.
 */
export const computeMeanVector = (
  pieces: readonly { readonly vector: Float32Array; readonly tokens: number }[],
): Float32Array => {
  const [firstVector = new Float32Array()] = pieces.map(({ vector }) => vector);
  if (pieces.length === 1) return firstVector;
  const sum = new Float64Array(firstVector.length);
  for (const { vector, tokens } of pieces) vector.forEach((x, i) => (sum[i] = (sum[i] ?? 0) + tokens * x));
  const length = Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0));
  // The vectors cancel each other out, which no model causes for one text.
  if (length === 0) return firstVector;
  return Float32Array.from(sum, (x) => x / length);
};
