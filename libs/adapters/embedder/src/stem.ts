/**
 * Endings in order of length. The longest match is removed if enough of the word remains to distinguish it from others.
 */
const inflections = ['ingly', 'edly', 'ing', 'ed'];
const derivations: readonly (readonly [suffix: string, replacement: string])[] = [
  ['ization', 'iz'],
  ['isation', 'iz'],
  ['ations', ''],
  ['ation', ''],
  ['ators', ''],
  ['ator', ''],
  ['ment', ''],
  ['ness', ''],
  ['ful', ''],
  ['less', ''],
  ['able', ''],
  ['ibility', ''],
  ['ity', ''],
  ['ive', ''],
  ['ion', ''],
  ['ally', ''],
  ['al', ''],
  ['ly', ''],
  ['er', ''],
  ['or', ''],
  ['ist', ''],
  ['ate', ''],
  ['ic', ''],
  ['at', ''],
  ['ous', ''],
  ['ence', ''],
  ['ance', ''],
  ['ant', ''],
  ['ent', ''],
];

/**
 * Maps the forms of an English word to a single key, which is not itself a word. The stemming is more aggressive than a
 * linguist's (`translation` and `translator` share a key), because a search is forgiving. Words of fewer than four
 * letters, and words with characters other than a to z, are returned unchanged.
 */
export const stem = (word: string): string =>
  word.length < 4 || !/^[a-z]+$/.test(word) ? word : ending(withoutDerivation(withoutInflection(singular(word))));

const singular = (word: string): string => {
  if (word.endsWith('ies') && word.length > 4) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(?:sses|shes|ches|xes|zes)$/.test(word)) {
    return word.slice(0, -2);
  }
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
};

const withoutInflection = (word: string): string => {
  for (const suffix of inflections) {
    const rest = word.slice(0, -suffix.length);
    if (word.endsWith(suffix) && rest.length >= 3 && /[aeiouy]/.test(rest)) {
      return /([^lsz])\1$/.test(rest) ? rest.slice(0, -1) : rest;
    }
  }
  return word;
};

const withoutDerivation = (word: string): string => {
  for (const [suffix, replacement] of derivations) {
    if (word.endsWith(suffix) && word.length - suffix.length >= (suffix.length < 3 ? 5 : 4)) {
      return word.slice(0, -suffix.length) + replacement;
    }
  }
  return word;
};

const ending = (word: string): string => {
  const single = word.endsWith('ll') ? word.slice(0, -1) : word;
  const short = single.endsWith('e') && single.length > 4 ? single.slice(0, -1) : single;
  return short.endsWith('y') && short.length > 3 ? `${short.slice(0, -1)}i` : short;
};
