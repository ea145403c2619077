import type { EmbeddingPurpose } from '@portico/domain';

/**
 * Counts up whenever a prefix below or a rule of cutting changes, for a text's vector then does too: it is part of the
 * model's id.
 */
export const textScheme = 1;

/** What a text is cut to before it is sent, in UTF-16 units: about the 2,048 tokens of nomic-embed-text in English. */
export const textUnitsMax = 8_192;
/** What is still too long at this length is given up; no tokenizer needs more than four tokens a unit. */
export const textUnitsMin = 128;

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
