import type { EmbeddingPurpose } from '@portico/domain';

/**
 * Incremented whenever the document prefix or the rule for reading documents changes. It is part of the model's id, so
 * stored vectors are then computed again. The vectors of scheme 1 cover only the beginning of a document, but can be
 * compared with the current ones.
 */
export const textScheme = 2;
export const earlierTextScheme = 1;

/** A text that is still too long at this length is rejected. No tokenizer needs more than four tokens per unit. */
export const textUnitsMin = 128;

/** The tokens of a piece of a document: 256 with prefix, start and end, about half a second on two cores. */
export const pieceTokensMax = 248;
/** The pieces of a document that are read: 10,000 characters of English, or 4,000 in other scripts. */
export const piecesMax = 16;

/** A query is cut to this many tokens: a server without a GPU takes a second or more for them. */
export const queryTokensMax = 512;
/** A query with more tokens is long, and waits in the queue for long queries. */
export const shortQueryTokensMax = 64;

/**
 * A rough upper bound for a tokenizer: it knows few whole words, but all prefixes and suffixes of some letters, and
 * uses a token per character for scripts other than Latin. It splits a Korean syllable into two or three.
 */
const token = /[a-z]{1,4}|[0-9]{1,3}|\S/giu;
const syllable = /[\uac00-\ud7a3]/;
const tokensIn = (matched: string): number => (syllable.test(matched) ? 3 : 1);

/** Estimates the number of tokens without the model: about 50 % too high for English prose. */
export const tokensOf = (text: string): number =>
  (text.match(token) ?? []).reduce((tokens, matched) => tokens + tokensIn(matched), 0);

/** Returns at most the first `tokensMax` tokens of a text. */
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
 * The prefixes with which models were trained, by the beginning of the model's name. The server adds none. Other models
 * have none. Source: the model card of nomic-embed-text.
 */
const families: readonly (readonly [family: string, prefixes: Prefixes])[] = [
  ['nomic-embed-text', { document: 'search_document: ', query: 'search_query: ' }],
];

/** Returns an empty string for any other model. Ignores a namespace before the name (`library/`). */
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
