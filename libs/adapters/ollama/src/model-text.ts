import type { EmbeddingPurpose } from '@portico/domain';

/**
 * Counts up whenever the prefix of documents or the rule by which they are cut changes, for a stored vector is of another kind
 * then: it is part of the model's id.
 */
export const textScheme = 1;

/** What a text is cut to before it is sent, in UTF-16 units: about the 2,048 tokens of nomic-embed-text in English. */
export const textUnitsMax = 8_192;
/** What is still too long at this length is given up; no tokenizer needs more than four tokens a unit. */
export const textUnitsMin = 128;

/** What a query is cut to: a server without a graphics card works a second or more on so many. */
export const queryTokensMax = 512;
/** A query of more is a long one, and waits for its like. */
export const shortQueryTokensMax = 64;

/**
 * What a tokenizer makes of a text at most, about: it has few words as a whole, but all beginnings and endings of some letters,
 * and of scripts without Latin letters a token for each character.
 */
const token = /[a-z]{1,4}|[0-9]{1,3}|\S/giu;

export const tokensOf = (text: string): number => text.match(token)?.length ?? 0;

/** The beginning of a text that has so many tokens; all of one that has no more. */
export const cutTokens = (text: string, tokensMax: number): string => {
  let tokens = 0;
  for (const { index, 0: matched } of text.matchAll(token)) {
    tokens += 1;
    if (tokens === tokensMax) return text.slice(0, index + matched.length);
  }
  return text;
};

type Prefixes = Readonly<Record<EmbeddingPurpose, string>>;

/**
 * What models were trained to read before a text, by the beginning of their name; the server adds nothing. Others have none.
 * Source: the model card of nomic-embed-text.
 */
const families: readonly (readonly [family: string, prefixes: Prefixes])[] = [
  ['nomic-embed-text', { document: 'search_document: ', query: 'search_query: ' }],
];

/** Empty for a model of no such family. A namespace before the name (`library/`) is not looked at. */
export const prefixOf = (model: string, purpose: EmbeddingPurpose): string => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return families.find(([family]) => name.startsWith(family))?.[1][purpose] ?? '';
};

/** At most so many UTF-16 units, and never half a character. */
export const cutText = (text: string, unitsMax: number): string => {
  if (text.length <= unitsMax) return text;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(unitsMax - 1)) && /[\udc00-\udfff]/.test(text.charAt(unitsMax));
  return text.slice(0, splitsPair ? unitsMax - 1 : unitsMax);
};
