/**
 * Characters that affect more than the text that contains them: control characters (including line breaks and U+0000),
 * the separators U+2028 and U+2029, and the bidirectional controls (Unicode Standard Annex 9, section 2), which make a
 * text look different from how it is stored.
 */
const unsafeCharacter = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const unsafeCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * Whether untrusted text can be inserted unchanged where a line break ends the value: a header, an address, an email, a
 * terminal, a log. Such text is well-formed and has no unsafe characters (specification, section 1). Any length is
 * accepted, including `''`. Use this to reject text; use `toPlainLine` for text that must be displayed.
 */
export const isPlainLine = (text: string): boolean => text.isWellFormed() && !unsafeCharacter.test(text);

/** Format characters, and characters that are not displayed. */
const invisibleCharacters = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Whether the character is a ZWJ or ZWNJ between letters or their marks: several scripts need them within words. */
const isJoiner = (text: string, index: number): boolean =>
  /[\u200c\u200d]/.test(text.charAt(index)) &&
  /[\p{L}\p{M}]$/u.test(text.slice(Math.max(0, index - 2), index)) &&
  /^[\p{L}\p{M}]/u.test(text.slice(index + 1, index + 3));

const removeInvisible = (text: string): string =>
  text.replace(invisibleCharacters, (character, index: number) => (isJoiner(text, index) ? character : ''));

/**
 * Whether a text can be the name of a person, company, group, service account or collection: a plain line in which
 * every character is visible, so that names that look alike are equal (specification, section 1).
 */
export const isPlainName = (text: string): boolean => isPlainLine(text) && removeInvisible(text) === text;

/**
 * Longer than any name of 200 code points before composition: four code points of two units each may become one.
 * Composition takes time quadratic in the length of a run of marks, so longer text is not composed.
 */
const nfcInputMax = 1_600;

/** Returns the text in NFC, or unchanged if it is too long to become a name. */
export const toNfc = (text: string): string => (text.length > nfcInputMax ? text : text.normalize('NFC'));

/**
 * Converts a text to a plain name, composed (NFC). Invisible characters are removed, and a text that is too long for
 * any name is truncated. The result may be empty.
 */
export const toPlainName = (text: string): string =>
  toPlainLine(removeInvisible(toNfc(toPlainLine(text).slice(0, nfcInputMax))));

/**
 * Converts stored text for display to a plain line: each run of unsafe characters becomes one space, a lone surrogate
 * becomes U+FFFD, and the ends are trimmed. Never longer than the input. Returns the input itself if it is trimmed and
 * `isPlainLine`.
 */
export const toPlainLine = (text: string): string => text.toWellFormed().replace(unsafeCharacters, ' ').trim();

/** Like `toPlainLine`, truncated to at most `max` UTF-16 units; the last one is `…` if something was cut off. */
export const toShortLine = (text: string, max: number): string => {
  const line = toPlainLine(text);
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
};

/**
 * Converts text from a document to plain lines: every line break becomes `\n`, tabs are kept, and all other unsafe
 * characters are removed; a lone surrogate becomes U+FFFD. Never longer than the input, and not trimmed.
 */
export const toPlainLines = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '');
