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
