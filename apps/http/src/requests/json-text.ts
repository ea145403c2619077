/** Why a text is no JSON that can be taken, and where: lines and columns count from 1. */
export class JsonFault extends Error {
  readonly line: number;
  readonly column: number;

  constructor(reason: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    const line = before.split('\n').length;
    const column = offset - lineStart + 1;
    super(`${reason} at line ${line}, column ${column}`);
    this.name = 'JsonFault';
    this.line = line;
    this.column = column;
  }
}

/** Where the value of a top-level member stands in the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads over a JSON text once (RFC 8259), building nothing: so that nesting is bounded before anything is parsed, faults
 * have a place, and the own text of a top-level member can be kept. Of a name that stands twice the last one counts, as
 * in `JSON.parse`. The outermost value is no level. Throws `JsonFault`.
 */
export const scanJson = (text: string, depthMax: number): ReadonlyMap<string, Span> => {
  const members = new Map<string, Span>();
  let at = 0;

  const fault = (offset = at): JsonFault => {
    if (offset >= text.length) return new JsonFault('unexpected end of the JSON text', text, text.length);
    const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
    return new JsonFault(`unexpected ${JSON.stringify(character)}`, text, offset);
  };
  const skipSpace = (): void => {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at++;
    }
  };
  const expect = (character: string): void => {
    if (text[at] !== character) throw fault();
    at++;
  };
  const skipPattern = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) throw fault();
    at = pattern.lastIndex;
  };
  const skipString = (): void => {
    expect('"');
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) skipPattern(escape);
      else if (code >= 0x20) at++;
      else throw fault();
    }
    at++;
  };
  const skipMembers = (depth: number): void => {
    do {
      at++;
      skipSpace();
      const nameStart = at;
      skipString();
      const nameEnd = at;
      skipSpace();
      expect(':');
      const span = skipValue(depth);
      if (depth === 0) members.set(JSON.parse(text.slice(nameStart, nameEnd)) as string, span);
    } while (text[at] === ',');
  };
  const skipContainer = (open: string, close: string, depth: number): void => {
    if (depth > depthMax) throw new JsonFault(`nested deeper than ${depthMax} levels`, text, at);
    const start = at++;
    skipSpace();
    if (text[at] === close) {
      at++;
      return;
    }
    at = start;
    if (open === '{') skipMembers(depth);
    else {
      do {
        at++;
        skipValue(depth);
      } while (text[at] === ',');
    }
    expect(close);
  };
  const skipValue = (depth: number): Span => {
    skipSpace();
    const start = at;
    const first = text[at];
    if (first === '{') skipContainer('{', '}', depth + 1);
    else if (first === '[') skipContainer('[', ']', depth + 1);
    else if (first === '"') skipString();
    else skipPattern(literal);
    const end = at;
    skipSpace();
    return { start, end };
  };

  skipValue(-1);
  if (at < text.length) throw fault();
  return members;
};

const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
