const whitespace = /[\t\n\r ]*/y;
const tokens = {
  // Any character except a quotation mark, a backslash or a control character; or an escape sequence.
  string: /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y,
  word: /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y,
};

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/**
 * Returns the offset at which a text stops being JSON (RFC 8259), because only some browsers report the offset, and
 * only for some errors. Returns the length of the text if the text is truncated or valid.
 */
export const findSyntaxErrorOffset = (text: string): number => {
  const openBrackets: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let offset = 0;
  const getExpectedAfterValue = (): Expected => (openBrackets.length === 0 ? 'nothing' : 'comma or end');
  for (;;) {
    offset = endOf(whitespace, text, offset) ?? offset;
    const char = text[offset];
    if (char === undefined) return text.length;
    if (expected === 'colon' && char === ':') expected = 'value';
    else if (expected === 'comma or end' && char === ',') expected = openBrackets.at(-1) === '{' ? 'key' : 'value';
    else if (canClose(expected, openBrackets.at(-1)) && char === (openBrackets.at(-1) === '{' ? '}' : ']')) {
      openBrackets.pop();
      expected = getExpectedAfterValue();
    } else if (expected.startsWith('value') && (char === '{' || char === '[')) {
      openBrackets.push(char);
      expected = char === '{' ? 'key or end' : 'value or end';
    } else {
      const isKey = expected.startsWith('key');
      if (!isKey && !expected.startsWith('value')) return offset;
      const end = endOf(char === '"' || isKey ? tokens.string : tokens.word, text, offset);
      if (end === null) return offset;
      expected = isKey ? 'colon' : getExpectedAfterValue();
      offset = end - 1;
    }
    offset++;
  }
};

const canClose = (expected: Expected, openBracket: '{' | '[' | undefined): boolean =>
  openBracket !== undefined && expected.endsWith('or end');

/** Returns the end of the token that begins at `offset`; null if no such token begins there. */
const endOf = (token: RegExp, text: string, offset: number): number | null => {
  token.lastIndex = offset;
  return token.test(text) ? token.lastIndex : null;
};

export interface Position {
  readonly line: number;
  /** The column in UTF-16 code units, starting at 1. */
  readonly column: number;
}

export const positionAt = (text: string, offset: number): Position => {
  const textBefore = text.slice(0, offset);
  return { line: textBefore.split('\n').length, column: offset - textBefore.lastIndexOf('\n') };
};
