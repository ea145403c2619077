const blanks = /[\t\n\r ]*/y;
const parts = {
  // Any character except a quotation mark, a backslash or a control character; or an escape sequence.
  string: /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y,
  word: /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y,
};

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/**
 * Returns the offset at which a text stops being JSON (RFC 8259), because only some browsers report the offset, and
 * only for some errors. Returns the length of the text if the text is truncated or valid.
 */
export const faultOffset = (text: string): number => {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const after = (): Expected => (open.length === 0 ? 'nothing' : 'comma or end');
  for (;;) {
    at = endOf(blanks, text, at) ?? at;
    const char = text[at];
    if (char === undefined) return text.length;
    if (expected === 'colon' && char === ':') expected = 'value';
    else if (expected === 'comma or end' && char === ',') expected = open.at(-1) === '{' ? 'key' : 'value';
    else if (mayEnd(expected, open.at(-1)) && char === (open.at(-1) === '{' ? '}' : ']')) {
      open.pop();
      expected = after();
    } else if (expected.startsWith('value') && (char === '{' || char === '[')) {
      open.push(char);
      expected = char === '{' ? 'key or end' : 'value or end';
    } else {
      const isKey = expected.startsWith('key');
      if (!isKey && !expected.startsWith('value')) return at;
      const end = endOf(char === '"' || isKey ? parts.string : parts.word, text, at);
      if (end === null) return at;
      expected = isKey ? 'colon' : after();
      at = end - 1;
    }
    at++;
  }
};

const mayEnd = (expected: Expected, inside: '{' | '[' | undefined): boolean =>
  inside !== undefined && expected.endsWith('or end');

/** Returns the end of the part that begins at `at`; null if no such part begins there. */
const endOf = (part: RegExp, text: string, at: number): number | null => {
  part.lastIndex = at;
  return part.test(text) ? part.lastIndex : null;
};

export interface Place {
  readonly line: number;
  /** The column in UTF-16 code units, starting at 1. */
  readonly column: number;
}

export const placeAt = (text: string, offset: number): Place => {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
};
