/** Runs longer than this are keys, hashes or encoded images rather than words; they are truncated. */
const wordLengthMax = 40;

/** Scripts that are written without spaces. */
const unspacedPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const runPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** Splits `HTTPServer2` into HTTP, Server and 2. */
const partPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lo}\p{M}]+|\p{L}/gu;

/** Removes markup: HTML with its comments and entities, link targets and URLs. */
export const removeMarkup = (text: string): string =>
  text
    .replace(/<(script|style)\b[^>]{0,300}>[^]*?<\/\1>/gi, ' ')
    .replace(/<[!/a-z][^<>]{0,1000}>/gi, ' ')
    .replace(/\]\([^()\s]*\)/g, '] ')
    .replace(/\b(?:https?:\/\/|data:[a-z]+\/)[^\s)"'<>]+/gi, ' ')
    .replace(/&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi, ' ');

/**
 * Returns the words of a text in lower case, with compatibility forms and diacritics folded (`Ｃａｆé` is `cafe`). Names
 * in camel case or with digits are returned both in parts and as a whole; scripts without spaces are returned as
 * character bigrams. A text without letters or digits is one word; an empty text has no words.
 */
export const wordsOf = (text: string): readonly string[] => {
  const folded = fold(text);
  const words: string[] = [];
  for (const [run] of folded.matchAll(runPattern)) {
    const parts = run.match(partPattern) ?? [run];
    for (const part of parts) {
      pushPart(words, part);
    }
    if (parts.length > 1 && run.length <= wordLengthMax && !run.match(unspacedPattern)) {
      words.push(run.toLowerCase());
    }
  }
  const trimmed = folded.trim();
  return words.length > 0 || trimmed === '' ? words : [trimmed.slice(0, wordLengthMax)];
};

const fold = (text: string): string =>
  isAscii(text)
    ? text
    : text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]+/g, '')
        .normalize('NFKC');

const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

const pushPart = (words: string[], part: string): void => {
  if (!part.match(unspacedPattern)) {
    words.push(part.slice(0, wordLengthMax).toLowerCase());
    return;
  }
  const characters = [...part];
  for (let i = 0; i < Math.max(1, characters.length - 1); i += 1) {
    words.push(characters.slice(i, i + 2).join(''));
  }
};
