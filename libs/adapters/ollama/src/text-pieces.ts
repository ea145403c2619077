import { cutTokens, piecesMax, pieceTokensMax, tokensOf } from './model-text.ts';

/** A part of a document that is embedded by itself. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** Where a text may be cut, the best places first: after a sentence or a line, between words. */
const places = [/(?=\S)(?<=[.!?…]["')\]]*\s+|[。！？]\s*|\n\s*)/u, /(?=\S)(?<=\s)/u];

/**
 * The pieces that a document is read in, at most 16: each has as many sentences as fit in 248 tokens. A longer sentence
 * is cut between words, a longer word anywhere. A short text is one piece, whatever is in it.
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

/** Parts of at most 248 tokens, which are the whole text together. */
const partsOf = (text: string, [place, ...more] = places): readonly string[] => {
  if (tokensOf(text) <= pieceTokensMax) return [text];
  if (place) return text.split(place).flatMap((part) => partsOf(part, more));
  const parts: string[] = [];
  for (let rest = text; rest !== '';) {
    const part = cutTokens(rest, pieceTokensMax);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
};

/** The mean of the pieces' vectors by their tokens, of length 1: a model takes the mean of its tokens, too. */
export const vectorOfPieces = (
  pieces: readonly { readonly vector: Float32Array; readonly tokens: number }[],
): Float32Array => {
  const [first = new Float32Array()] = pieces.map(({ vector }) => vector);
  if (pieces.length === 1) return first;
  const sum = new Float64Array(first.length);
  for (const { vector, tokens } of pieces) vector.forEach((x, i) => (sum[i] = (sum[i] ?? 0) + tokens * x));
  const length = Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0));
  // Opposite vectors, which no model makes of one text.
  if (length === 0) return first;
  return Float32Array.from(sum, (x) => x / length);
};
