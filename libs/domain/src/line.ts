/**
 * Characters that affect more than the text they stand in: control characters (including line breaks and U+0000), the
 * separators U+2028 and U+2029, and the bidirectional controls (Unicode Standard Annex 9, section 2), which display a
 * text differently from how it is stored.
 */
const unplain = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const unplainRuns = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * Whether an untrusted text may go unchanged into a place that ends at the end of a line: a header, an address, a mail,
 * a terminal, a log. It is well-formed and has no unplain characters (specification, section 1). Any length passes,
 * including `''`. Use this to refuse a text; use `plainLine` for a text that must be shown.
 */
export const isPlainLine = (text: string): boolean => text.isWellFormed() && !unplain.test(text);

/** Format characters, and those that are displayed as nothing. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Whether what stands there is ZWJ or ZWNJ between letters or their marks: several scripts need them inside of words. */
const isJoiner = (text: string, at: number): boolean =>
  /[\u200c\u200d]/.test(text.charAt(at)) &&
  /[\p{L}\p{M}]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
  /^[\p{L}\p{M}]/u.test(text.slice(at + 1, at + 3));

const seen = (text: string): string =>
  text.replace(unseen, (character, at: number) => (isJoiner(text, at) ? character : ''));

/**
 * Whether a text may be the name of a person, company, group, service account or collection: a plain line in which
 * every character can be seen, so that names that look the same are the same (specification, section 1).
 */
export const isPlainName = (text: string): boolean => isPlainLine(text) && seen(text) === text;

/**
 * More than a name of 200 code points can have before it is composed: four of two units each may become one. Composing
 * takes time with the square of a run of marks, so nothing longer is composed.
 */
const composedMax = 1_600;

/** The text in NFC, or as it is if it is too long to become a name. */
export const composed = (text: string): string => (text.length > composedMax ? text : text.normalize('NFC'));

/**
 * Makes a text such a name, composed (NFC). What cannot be seen is removed, and what is too long for any name is cut off.
 * May be empty.
 */
export const plainName = (text: string): string => plainLine(seen(composed(plainLine(text).slice(0, composedMax))));

/**
 * Turns a stored text that has to be shown into a plain line: each run of unplain characters becomes one space, a lone
 * surrogate becomes U+FFFD, and the ends are trimmed. Never longer than the text. Returns the text itself if it is
 * trimmed and `isPlainLine`.
 */
export const plainLine = (text: string): string => text.toWellFormed().replace(unplainRuns, ' ').trim();

/** The same, cut to at most `max` UTF-16 units; the last is `…` if something was cut off. */
export const shortLine = (text: string, max: number): string => {
  const line = plainLine(text);
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
};

/**
 * Turns a text from a document into plain lines: every line break becomes `\n`, tabs stay, and all other unplain
 * characters are removed; a lone surrogate becomes U+FFFD. Never longer than the text, and not trimmed.
 */
export const plainLines = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '');
