/**
 * What makes a line do more than be read: control characters (line breaks and U+0000 among them), the separators U+2028 and U+2029,
 * and the bidirectional controls (Unicode Standard Annex 9, section 2), which show a text otherwise than it stands.
 */
const unplain = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const unplainRuns = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * Whether a text of strangers may go as it is to where one line ends at its end: a header, an address, a mail, a terminal, a log. It
 * is well-formed and without all that does more than be read (specification, section 1). Its length is not looked at, and `''` is one.
 * For texts that are refused otherwise; see `plainLine` for those that must be shown.
 */
export const isPlainLine = (text: string): boolean => text.isWellFormed() && !unplain.test(text);

/**
 * The text as a line that may travel, for what was kept before and has to be shown: each run of what does more than be read is one
 * space, a lone surrogate is U+FFFD, the ends are trimmed. Never longer than the text, and itself where `isPlainLine` and trimmed.
 */
export const plainLine = (text: string): string => text.toWellFormed().replace(unplainRuns, ' ').trim();

/** The same, of at most so many UTF-16 units, the last of which is `…` where something was cut off. */
export const shortLine = (text: string, max: number): string => {
  const line = plainLine(text);
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
};

/**
 * The text as lines that may travel, for what comes of a document and may have several: every line break is `\n`, a tab stays, and
 * all else that does more than be read goes; a lone surrogate is U+FFFD. Never longer than the text, and not trimmed.
 */
export const plainLines = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '');
