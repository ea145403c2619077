import type { EmbeddingPurpose } from '@portico/domain';

/**
 * Incremented whenever the document prefix or the rule for reading documents changes: stored vectors are part of the
 * model's id, and are made again then. The vectors of scheme 1 are those of the beginning of a document, and can be
 * compared with the present ones.
 */
export const textScheme = 2;
export const earlierTextScheme = 1;

/** A text still too long at this length is refused; no tokenizer needs more than four tokens per unit. */
export const textUnitsMin = 128;

/** Tokens of a piece of a document. With prefix, beginning and end 256: about half a second on two cores. */
export const pieceTokensMax = 248;
/** Pieces that a document is read up to: those of 10,000 characters of English, or of 4,000 in other scripts. */
export const piecesMax = 16;

/** Tokens that a query is cut to: a server without a GPU takes a second or more for that many. */
export const queryTokensMax = 512;
/** A query with more tokens is a long one, and queues with other long ones. */
export const shortQueryTokensMax = 64;

/**
 * A rough upper bound for a tokenizer: it knows few whole words, but all beginnings and endings of some letters, and
 * takes a token per character for scripts other than Latin. It takes a Korean syllable apart into two or three.
 */
const token = /[a-z]{1,4}|[0-9]{1,3}|\S/giu;
const syllable = /[\uac00-\ud7a3]/;
const tokensIn = (matched: string): number => (syllable.test(matched) ? 3 : 1);

/** About the number of tokens, counted without the model; for prose in English half as many again. */
export const tokensOf = (text: string): number =>
  (text.match(token) ?? []).reduce((tokens, matched) => tokens + tokensIn(matched), 0);

/** The first `tokensMax` tokens of a text, or all of it. */
export const cutTokens = (text: string, tokensMax: number): string => {
  let tokens = 0;
  let end = 0;
  for (const { index, 0: matched } of text.matchAll(token)) {
    tokens += tokensIn(matched);
    if (tokens > tokensMax) return text.slice(0, end);
    end = index + matched.length;
  }
  return text;
};

type Prefixes = Readonly<Record<EmbeddingPurpose, string>>;

/**
 * Prefixes that models were trained with, by the beginning of the model's name; the server adds none. Other models have
 * none. Source: the model card of nomic-embed-text.
 */
const families: readonly (readonly [family: string, prefixes: Prefixes])[] = [
  ['nomic-embed-text', { document: 'search_document: ', query: 'search_query: ' }],
];

/** Empty for any other model. Ignores a namespace before the name (`library/`). */
export const prefixOf = (model: string, purpose: EmbeddingPurpose): string => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return families.find(([family]) => name.startsWith(family))?.[1][purpose] ?? '';
};

/** Cuts to at most `unitsMax` UTF-16 units, never inside a character. */
export const cutText = (text: string, unitsMax: number): string => {
  if (text.length <= unitsMax) return text;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(unitsMax - 1)) && /[\udc00-\udfff]/.test(text.charAt(unitsMax));
  return text.slice(0, splitsPair ? unitsMax - 1 : unitsMax);
};
