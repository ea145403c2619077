import { stemmer } from 'stemmer';

/** English stop words. */
const stopWords = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by
  can cannot could did do does doing done down during each either else ever every few for from further get gets got had
  has have having he her here hers herself him himself his how however i if in into is it its itself just let like may
  me might more most must my myself neither no nor not now of off on once only onto or other our ours ourselves out over
  own per please same shall she should since so some such than that the their theirs them themselves then there these
  they this those though through thus to too under until up upon us use used using very via want was we were what when
  where whether which while who whom whose why will with within without would yet you your yours yourself yourselves`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/**
 * Returns the terms of a text for lexical ranking: names are split at changes of case, stop words are removed, and
 * words are stemmed.
 */
export const termsOf = (text: string): readonly string[] =>
  splitNames(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !stopWords.has(word))
    .map((word) => stemmer(word));

/** Splits names: `listCustomerInvoices` becomes `list Customer Invoices`, and `getURLOf` becomes `get URL Of`. */
export const splitNames = (text: string): string =>
  text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
