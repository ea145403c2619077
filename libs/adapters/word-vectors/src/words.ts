/** Runs longer than this are keys, hashes or encoded images rather than words; they are truncated. */
const wordLengthMax = 24;

/** Scripts that are written without spaces. */
const unspacedPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const partPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|[\p{Lo}\p{M}]+|[\p{L}\p{N}]/gu;
/** The same pattern for ASCII, which takes half the time. */
const asciiPartPattern = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+/g;

/**
 * Returns the words of a text in lower case, with compatibility forms and diacritics folded (`Ｃａｆé` is `cafe`). Names
 * in camel case are split, digits remain part of their word (`sendSMS2` becomes `send` and `sms2`), and scripts without
 * spaces are split into character bigrams.
 */
export const wordsOf = (text: string): string[] => {
  if (isAscii(text)) return (text.match(asciiPartPattern) ?? []).map(shorten);
  const parts = fold(text).match(partPattern) ?? [];
  return parts.flatMap((word) => (unspacedPattern.test(word) ? pairsOf(word) : [shorten(word)]));
};

const shorten = (word: string): string => word.slice(0, wordLengthMax).toLowerCase();

const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFKC');

const pairsOf = (run: string): string[] => {
  const characters = [...run];
  return Array.from({ length: Math.max(1, characters.length - 1) }, (_, i) => characters.slice(i, i + 2).join(''));
};
