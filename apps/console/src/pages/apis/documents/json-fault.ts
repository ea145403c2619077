const blanks = /[\t\n\r ]*/y;
const parts = {
  // All but quotation mark, backslash and controls; or escaped.
  string: /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y,
  word: /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y,
};

type Want = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/**
 * Returns the offset at which a text stops being JSON (RFC 8259). Only some browsers tell it, and only for some faults.
 * The text's length for one that is cut short, and for one without fault.
 */
export const faultOffset = (text: string): number => {
  const open: ('{' | '[')[] = [];
  let want: Want = 'value';
  let at = 0;
  const after = (): Want => (open.length === 0 ? 'nothing' : 'comma or end');
  for (;;) {
    at = endOf(blanks, text, at) ?? at;
    const char = text[at];
    if (char === undefined) return text.length;
    if (want === 'colon' && char === ':') want = 'value';
    else if (want === 'comma or end' && char === ',') want = open.at(-1) === '{' ? 'key' : 'value';
    else if (mayEnd(want, open.at(-1)) && char === (open.at(-1) === '{' ? '}' : ']')) {
      open.pop();
      want = after();
    } else if (want.startsWith('value') && (char === '{' || char === '[')) {
      open.push(char);
      want = char === '{' ? 'key or end' : 'value or end';
    } else {
      const isKey = want.startsWith('key');
      if (!isKey && !want.startsWith('value')) return at;
      const end = endOf(char === '"' || isKey ? parts.string : parts.word, text, at);
      if (end === null) return at;
      want = isKey ? 'colon' : after();
      at = end - 1;
    }
    at++;
  }
};

const mayEnd = (want: Want, inside: '{' | '[' | undefined): boolean => inside !== undefined && want.endsWith('or end');

/** Where the part that begins here ends; null if none does. */
const endOf = (part: RegExp, text: string, at: number): number | null => {
  part.lastIndex = at;
  return part.test(text) ? part.lastIndex : null;
};

export interface Place {
  readonly line: number;
  /** In UTF-16 units, from 1. */
  readonly column: number;
}

export const placeAt = (text: string, offset: number): Place => {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
};
