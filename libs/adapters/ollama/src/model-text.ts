import type { EmbeddingPurpose } from '@portico/domain';

/**
 * The version of the scheme that prepares texts. It is incremented whenever the document prefix or the rule for reading
 * documents changes. It is part of the model's id, so an increment causes stored vectors to be computed again. Vectors
 * from scheme 1 cover only the beginning of a document, but can be compared with the current vectors.
 */
export const textScheme = 2;
export const previousTextScheme = 1;

/**
 * The length to which a text may be cut, in UTF-16 units. A text that is still too long at this length is rejected. No
 * tokenizer needs more than four tokens per unit.
 */
export const textUnitsMin = 128;

/**
 * The maximum number of tokens in a piece of a document: 256 with the prefix, start and end, which take about half a
 * second on two cores.
 */
export const pieceTokensMax = 248;
/**
 * The maximum number of pieces that are read from a document: 10,000 characters of English, or 4,000 in other scripts.
 */
export const piecesMax = 16;

/**
 * The maximum number of tokens in a query; a longer query is cut. A server without a GPU takes a second or more to
 * embed this many.
 */
export const queryTokensMax = 512;
/** The maximum number of tokens in a short query. A query with more tokens waits in the queue for long queries. */
export const shortQueryTokensMax = 64;

/**
 * Matches one token of a rough upper bound for tokenizers: a tokenizer that knows few whole words, but all prefixes and
 * suffixes of a few letters, and uses one token per character for scripts other than Latin. It splits a Korean syllable
 * into two or three tokens.
 */
const tokenPattern = /[a-z]{1,4}|[0-9]{1,3}|\S/giu;
const syllablePattern = /[\uac00-\ud7a3]/;
const tokensIn = (token: string): number => (syllablePattern.test(token) ? 3 : 1);

/** Estimates the number of tokens without the model: about 50% too high for English prose. */
export const estimateTokens = (text: string): number =>
  (text.match(tokenPattern) ?? []).reduce((tokens, token) => tokens + tokensIn(token), 0);

/** Returns at most the first `tokensMax` tokens of a text. */
export const cutTokens = (text: string, tokensMax: number): string => {
  let tokens = 0;
  let end = 0;
  for (const { index, 0: token } of text.matchAll(tokenPattern)) {
    tokens += tokensIn(token);
    if (tokens > tokensMax) return text.slice(0, end);
    end = index + token.length;
  }
  return text;
};

type Prefixes = Readonly<Record<EmbeddingPurpose, string>>;

/**
 * The prefixes that models were trained with, by the beginning of the model's name. The server does not add them. Other
 * models have no prefixes. Source: the model card of nomic-embed-text.
 */
const families: readonly (readonly [family: string, prefixes: Prefixes])[] = [
  ['nomic-embed-text', { document: 'search_document: ', query: 'search_query: ' }],
];

/**
 * Returns the prefix for a purpose, or an empty string for any other model. Ignores a namespace before the name
 * (`library/`).
 */
export const prefixOf = (model: string, purpose: EmbeddingPurpose): string => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return families.find(([family]) => name.startsWith(family))?.[1][purpose] ?? '';
};

/** Cuts a text to at most `unitsMax` UTF-16 units, never inside a character. */
export const cutText = (text: string, unitsMax: number): string => {
  if (text.length <= unitsMax) return text;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(unitsMax - 1)) && /[\udc00-\udfff]/.test(text.charAt(unitsMax));
  return text.slice(0, splitsPair ? unitsMax - 1 : unitsMax);
};
