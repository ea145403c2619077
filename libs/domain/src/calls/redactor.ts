/** Replaces secrets in texts that come from outside. */
export interface Redactor {
  /** The maximum length of a text that is replaced, in UTF-16 units. */
  readonly lengthMax: number;
  /**
   * Returns the text up to `end`, in UTF-16 units, with each form of a secret replaced. A secret that starts before the
   * end is replaced whole.
   */
  readonly redact: (text: string, end?: number) => string;
}

const replacement = '[redacted]';

/** A shorter form in base64 or hexadecimal would replace ordinary text. */
const encodedLengthMin = 4;

/** The length of the longest form of one UTF-16 unit: a character of three bytes, percent-encoded twice. */
const escapedLengthMax = 15;

/**
 * Creates a redactor for secrets, and for the forms in which servers reflect them: escaped in JSON or HTML,
 * percent-encoded, in base64 at any position, in hexadecimal, and in UTF-16. Ignores the case of ASCII letters. It
 * protects from accidental reflection: a server that wants to reveal a secret can encode it in other ways.
 *
 * It does not use a regular expression: compiling one with all these forms takes milliseconds, and each call has its own.
 */
export const createRedactor = (secrets: readonly string[]): Redactor => {
  const texts = secrets.filter((secret) => secret !== '').map((secret) => secret.toWellFormed());
  const forms = [...new Set(texts.flatMap(formsOf))].map(toForm);
  const starts = createStarts(forms);
  return {
    lengthMax: Math.max(0, ...forms.map(({ characters }) => characters.length)) * escapedLengthMax,
    redact(text, end = text.length) {
      if (forms.length === 0) return text.slice(0, end);
      const parts: string[] = [];
      let start = 0;
      for (let index = 0; index < end; index++) {
        if (starts[pairAt(text, index)] === 0) continue;
        const matchEnd = findEnd(forms, text, index);
        if (matchEnd === -1) continue;
        parts.push(text.slice(start, index), replacement);
        start = matchEnd;
        index = matchEnd - 1;
      }
      parts.push(text.slice(start, Math.max(start, end)));
      return parts.join('');
    },
  };
};

/** Returns the secret, its bytes as characters, and its encodings. */
const formsOf = (text: string): readonly string[] => [
  text,
  toBinary(text),
  text.split('').join('\0'),
  ...[
    toHex(text),
    ...base64Alignments.flatMap((alignment) => {
      const part = toBase64At(text, alignment);
      return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ].filter((encoding) => encoding.length >= encodedLengthMin),
];

/** The number of bytes before the secret, modulo 3, in a text that was encoded as a whole. */
const base64Alignments = [0, 1, 2] as const;

/** Returns the characters of the base64 that depend only on the secret. */
const toBase64At = (text: string, alignment: (typeof base64Alignments)[number]): string => {
  const binary = ' '.repeat(alignment) + toBinary(text);
  const start = [0, 2, 3][alignment];
  return btoa(binary).slice(start, Math.floor((binary.length * 8) / 6));
};

/** Returns the UTF-8 bytes as characters up to U+00FF, as in a body that is not text. */
const toBinary = (text: string): string =>
  encodeURIComponent(text).replace(/%([0-9A-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

const toHex = (text: string): string =>
  toBinary(text).replace(/[^]/g, (character) => character.charCodeAt(0).toString(16).padStart(2, '0'));

/** A text to find: its characters, with ASCII letters in lower case. */
interface Form {
  readonly characters: readonly FormCharacter[];
}

interface FormCharacter {
  readonly text: string;
  /** The character as it was, because escapes contain its code. */
  readonly original: string;
}

const toForm = (text: string): Form => ({
  characters: Array.from(text, (original) => ({ text: toLowerCaseAscii(original), original })),
});

const toLowerCaseAscii = (text: string): string => (/[A-Z]/.test(text) ? text.toLowerCase() : text);

/** The first characters of escapes: in JSON, in URLs, and in HTML; and a space in a form. */
const escapeStarts = ['\\', '%', '&', '+'];

/** The number of distinct codes in `createStarts`: ASCII; all other characters share the last one. */
const codes = 128;

const codeAt = (text: string, index: number): number => {
  const code = text.charCodeAt(index);
  if (code >= 65 && code <= 90) return code + 32;
  // Also at the end of the text, where the code is NaN.
  return code < codes ? code : codes - 1;
};

const pairAt = (text: string, index: number): number => codeAt(text, index) * codes + codeAt(text, index + 1);

/** Returns a table with 1 for each pair of characters that a form can start with: most positions need no comparison. */
const createStarts = (forms: readonly Form[]): Uint8Array => {
  const starts = new Uint8Array(codes * codes);
  const firstCodes = escapeStarts.map((character) => character.charCodeAt(0));
  for (const code of firstCodes) starts.fill(1, code * codes, (code + 1) * codes);
  for (const { characters } of forms) {
    const first = codeAt(characters[0]?.text ?? '', 0);
    if (characters.length === 1) starts.fill(1, first * codes, (first + 1) * codes);
    // The second unit of a character outside the basic plane is not ASCII either.
    const second = codeAt(characters[0]?.text.slice(1) || (characters[1]?.text ?? ''), 0);
    for (const code of [second, ...firstCodes]) starts[first * codes + code] = 1;
  }
  return starts;
};

/** Returns the end of the longest form at this position; -1 if there is none. */
const findEnd = (forms: readonly Form[], text: string, index: number): number => {
  let end = -1;
  for (const form of forms) end = Math.max(end, matchForm(form, text, index));
  return end;
};

const matchForm = ({ characters }: Form, text: string, index: number): number => {
  let end = index;
  for (const character of characters) {
    end = matchCharacter(character, text, end);
    if (end === -1) return -1;
  }
  return end;
};

/**
 * Returns the end of the character at this position, as it is or escaped; -1 if another one is there. Escapes come
 * first, because they start with a character that may also be there as it is.
 */
const matchCharacter = (character: FormCharacter, text: string, index: number): number => {
  const end = matchEscapes(character, text, index);
  return end === -1 && isTextAt(character.text, text, index) ? index + character.text.length : end;
};

const matchEscapes = (character: FormCharacter, text: string, index: number): number => {
  switch (text[index]) {
    case '\\':
      if (isTextAt(character.text, text, index + 1)) return index + 1 + character.text.length;
      return matchUnicodeEscapes(character, text, index);
    case '%':
      return matchPercentEncoding(character, text, index);
    case '&':
      return matchEntity(character, text, index);
    case '+':
      return character.text === ' ' ? index + 1 : -1;
    default:
      return -1;
  }
};

const isTextAt = (lowerCaseText: string, text: string, index: number): boolean => {
  for (let offset = 0; offset < lowerCaseText.length; offset++) {
    const code = text.charCodeAt(index + offset);
    const lowerCaseCode = code >= 65 && code <= 90 ? code + 32 : code;
    if (lowerCaseCode !== lowerCaseText.charCodeAt(offset)) return false;
  }
  return true;
};

/** Accepts the code of a letter in either case: `toForm` ignores it. */
const matchUnicodeEscapes = ({ original }: FormCharacter, text: string, index: number): number => {
  const length = 6 * original.length;
  const escapes = text.slice(index, index + length);
  if (!/^(?:\\u[0-9a-f]{4})+$/i.test(escapes)) return -1;
  const units = escapes
    .slice(2)
    .split(/\\u/i)
    .map((hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return isSameCharacter(units.join(''), original) ? index + length : -1;
};

/** Accepts bytes that are encoded once or twice. */
const matchPercentEncoding = ({ original }: FormCharacter, text: string, index: number): number => {
  let end = index;
  let bytes = '';
  const binary = toBinary(original);
  for (let count = 0; count < binary.length; count++) {
    const [escape, byte] = /^%(?:25(?=[0-9a-f]{2}))?([0-9a-f]{2})/i.exec(text.slice(end, end + 5)) ?? [];
    if (escape === undefined || byte === undefined) return -1;
    end += escape.length;
    bytes += String.fromCharCode(Number.parseInt(byte, 16));
  }
  return isSameCharacter(bytes, binary) ? end : -1;
};

const isSameCharacter = (a: string, b: string): boolean => toLowerCaseAscii(a) === toLowerCaseAscii(b);

const matchEntity = ({ original }: FormCharacter, text: string, index: number): number => {
  const [entity, decimal, hexadecimal, name] =
    /^&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,4}));/i.exec(text.slice(index, index + 10)) ?? [];
  if (entity === undefined) return -1;
  const character =
    name !== undefined
      ? namedEntities[name.toLowerCase()]
      : String.fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal));
  return character !== undefined && isSameCharacter(character, original) ? index + entity.length : -1;
};

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A part of every runtime that the domain's library does not declare. */
declare const btoa: (binary: string) => string;
