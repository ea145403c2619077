/** Returns a string literal of a language whose value is the text, with any characters. */
export type Quote = (text: string) => string;

/** Returns an escape sequence for a character: a code point, which may consist of two UTF-16 units. */
type Escape = (character: string) => string;

/**
 * Creates the function that prints a literal in double quotes. It escapes these special characters, and all that an
 * editor could change or would not show: controls, format characters, and separators of lines.
 */
const createQuote = (special: Readonly<Record<string, string>>, escape: Escape): Quote => {
  const replace = (character: string): string => special[character] ?? escape(character);
  const escaped = new RegExp(
    `[${Object.keys(special)
      .map((character) => `\\u{${codeOf(character)}}`)
      .join('')}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]`,
    'gu',
  );
  return (text) => `"${text.toWellFormed().replace(escaped, replace)}"`;
};

const codeOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);

const backslashes = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** `\u000a`, of each UTF-16 unit. */
const escapeUnits: Escape = (character) =>
  Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join('');
const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** `\u000a`, or `\U0001f600` beyond the Basic Multilingual Plane. */
const escapeLong: Escape = (character) =>
  character.length === 1 ? escapeUnits(character) : `\\U${codeOf(character).padStart(8, '0')}`;

/** `\u{a}`. */
const escapeBraced: Escape = (character) => `\\u{${codeOf(character)}}`;

/** ECMAScript, section 12.9.4. */
export const quoteJavaScript = createQuote(backslashes, escapeUnits);

/** Python's language reference, section 2.4.1. */
export const quotePython = createQuote(backslashes, escapeLong);

/** The Go programming language specification, "String literals". */
export const quoteGo = createQuote(backslashes, escapeLong);

/**
 * The Java language specification, sections 3.3 and 3.10.7. Java replaces `\u…` before it reads literals, so quotes and
 * ends of lines must not be written like this; they have their own escapes.
 */
export const quoteJava = createQuote(backslashes, escapeUnits);

/** The C# language specification, section 6.4.5.6. */
export const quoteCSharp = createQuote(backslashes, escapeUnits);

/** PHP's manual, "Strings": double quotes, in which `$` begins a variable. */
export const quotePhp = createQuote({ ...backslashes, $: '\\$' }, escapeBraced);

/** Ruby's documentation, "Literals": double quotes, in which `#` may begin an expression. */
export const quoteRuby = createQuote({ ...backslashes, '#': '\\#' }, escapeBraced);

/**
 * PowerShell's `about_Quoting_Rules` and `about_Special_Characters`: the typographic quotes U+201C to U+201E also end a
 * string.
 */
export const quotePowerShell = createQuote(
  {
    '`': '``',
    $: '`$',
    '"': '`"',
    '\u201c': '`\u201c',
    '\u201d': '`\u201d',
    '\u201e': '`\u201e',
    '\n': '`n',
    '\r': '`r',
    '\t': '`t',
  },
  (character) => `\`u{${codeOf(character)}}`,
);

/** Returns a literal of Go, whose strings may contain any bytes. */
export const quoteGoBytes = (bytes: Uint8Array): string =>
  `"${Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
