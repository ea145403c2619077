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
  word.length < 4 || !/^[a-z]+$/.test(word)
    ? word
    : normalizeEnding(removeDerivation(removeInflection(toSingular(word))));

const toSingular = (word: string): string => {
  if (word.endsWith('ies') && word.length > 4) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(?:sses|shes|ches|xes|zes)$/.test(word)) {
    return word.slice(0, -2);
  }
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
};

const removeInflection = (word: string): string => {
  for (const suffix of inflections) {
    const base = word.slice(0, -suffix.length);
    if (word.endsWith(suffix) && base.length >= 3 && /[aeiouy]/.test(base)) {
      return /([^lsz])\1$/.test(base) ? base.slice(0, -1) : base;
    }
  }
  return word;
};

const removeDerivation = (word: string): string => {
  for (const [suffix, replacement] of derivations) {
    if (word.endsWith(suffix) && word.length - suffix.length >= (suffix.length < 3 ? 5 : 4)) {
      return word.slice(0, -suffix.length) + replacement;
    }
  }
  return word;
};

const normalizeEnding = (word: string): string => {
  const shortenedWord = word.endsWith('ll') ? word.slice(0, -1) : word;
  const trimmedWord =
    shortenedWord.endsWith('e') && shortenedWord.length > 4 ? shortenedWord.slice(0, -1) : shortenedWord;
  return trimmedWord.endsWith('y') && trimmedWord.length > 3 ? `${trimmedWord.slice(0, -1)}i` : trimmedWord;
};
