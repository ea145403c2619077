import { cutTokens, piecesMax, pieceTokensMax, tokensOf } from './model-text.ts';

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
  let last: Piece = { text: '', tokens: 0 };
  for (const part of partsOf(text)) {
    const tokens = tokensOf(part);
    if (last.tokens > 0 && last.tokens + tokens > pieceTokensMax) {
      pieces.push(last);
      last = { text: '', tokens: 0 };
    }
    last = { text: last.text + part, tokens: last.tokens + tokens };
  }
  return [...pieces, last].slice(0, piecesMax);
};

/** Splits the whole text into parts of at most 248 tokens. */
const partsOf = (text: string, [boundary, ...others] = boundaries): readonly string[] => {
  if (tokensOf(text) <= pieceTokensMax) return [text];
  if (boundary) return text.split(boundary).flatMap((part) => partsOf(part, others));
  const parts: string[] = [];
  for (let rest = text; rest !== '';) {
    const part = cutTokens(rest, pieceTokensMax);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
};

/**
 * Returns the mean of the vectors, weighted by tokens and normalized to length 1. A model also uses the mean of its
 * tokens.
 */
export const vectorOfPieces = (
  pieces: readonly { readonly vector: Float32Array; readonly tokens: number }[],
): Float32Array => {
  const [first = new Float32Array()] = pieces.map(({ vector }) => vector);
  if (pieces.length === 1) return first;
  const sum = new Float64Array(first.length);
  for (const { vector, tokens } of pieces) vector.forEach((x, i) => (sum[i] = (sum[i] ?? 0) + tokens * x));
  const length = Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0));
  // The vectors cancel each other out, which no model causes for one text.
  if (length === 0) return first;
  return Float32Array.from(sum, (x) => x / length);
};
