/** `syntax`: not JSON. `nesting`, `values`: exceeds the bounds. */
export type JsonErrorKind = 'syntax' | 'nesting' | 'values';

/** The position at which a text stops being acceptable JSON, and the reason. */
export class JsonError extends Error {
  /** The start of the invalid part, in bytes. */
  readonly offset: number;
  readonly kind: JsonErrorKind;
  /**
   * The first unexpected byte, which may come after the start of the part; the length of the text if it ends too early.
   */
  readonly unexpectedAt: number;

  constructor(message: string, offset: number, kind: JsonErrorKind = 'syntax', unexpectedAt = offset) {
    super(message);
    this.name = 'JsonError';
    this.offset = offset;
    this.kind = kind;
    this.unexpectedAt = unexpectedAt;
  }
}

/** A part of a text, in bytes: from `start` up to but not including `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  /** The name, including its quotes, with escapes unchanged. */
  readonly name: JsonSpan;
  readonly value: JsonSpan;
}

export interface JsonScan {
  /** The whole value, without surrounding white space. */
  readonly value: JsonSpan;
  /**
   * The members of the root object in the order of the text, including duplicates; null if the root is not an object.
   */
  readonly members: readonly JsonMember[] | null;
  /** The items of the root array; null if the root is not an array. */
  readonly items: readonly JsonSpan[] | null;
}

export interface JsonBounds {
  /** The maximum nesting of arrays and objects, counting the root. */
  readonly nestingMax: number;
  /** The maximum number of values of any kind, including arrays and objects, but not member names. */
  readonly valuesMax: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Scans a JSON text (RFC 8259) once, without building anything from it: finds the members of the root object, and
 * rejects a text that is malformed, is nested too deeply or contains too many values, and reports the position. The
 * text must be valid UTF-8.
 */
export function scanJson(bytes: Uint8Array, bounds: JsonBounds): JsonScan {
  return new Scan(bytes, bounds).run();
}

interface OpenMember {
  readonly name: JsonSpan;
  readonly start: number;
}

class Scan {
  readonly #bytes: Uint8Array;
  readonly #bounds: JsonBounds;
  readonly #members: JsonMember[] = [];
  readonly #items: JsonSpan[] = [];
  /** The closing byte of each open array or object. */
  readonly #closing: number[] = [];
  #at = 0;
  #values = 0;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  run(): JsonScan {
    const start = this.#next();
    const isObject = this.#bytes[start] === openBrace;
    const isArray = this.#bytes[start] === openBracket;
    let member: OpenMember | null = null;
    let item: number | null = null;
    do {
      // A value must follow here, or the end of an array or object that has just been opened.
      if (isArray && this.#closing.length === 1) item = this.#next();
      const opening = this.#value();
      if (opening === openBrace && this.#peek() !== closeBrace) {
        member = this.#name() ?? member;
        continue;
      }
      if (opening === openBracket && this.#peek() !== closeBracket) continue;
      while (this.#closing.length > 0) {
        const end = this.#at;
        const next = this.#peek();
        const expectedClose = this.#closing.at(-1);
        if (member && this.#closing.length === 1 && isObject && (next === comma || next === expectedClose)) {
          this.#members.push({ name: member.name, value: { start: member.start, end } });
          member = null;
        } else if (item !== null && this.#closing.length === 1 && (next === comma || next === expectedClose)) {
          this.#items.push({ start: item, end });
          item = null;
        }
        this.#at++;
        if (next === comma) {
          if (expectedClose === closeBrace) member = this.#name() ?? member;
          break;
        }
        if (next !== expectedClose)
          throw this.#unexpected(expectedClose === closeBrace ? "',' or '}'" : "',' or ']'", this.#at - 1);
        this.#closing.pop();
      }
    } while (this.#closing.length > 0);

    const end = this.#at;
    if (this.#peek() !== undefined) throw this.#unexpected('the end of the text', this.#at);
    return { value: { start, end }, members: isObject ? this.#members : null, items: isArray ? this.#items : null };
  }

  /** Skips a scalar, or the byte that opens an array or object; returns that byte, or null for a scalar. */
  #value(): number | null {
    const first = this.#peek();
    if (++this.#values > this.#bounds.valuesMax) {
      throw new JsonError(`more than ${this.#bounds.valuesMax} values`, this.#at, 'values');
    }
    if (first === quote) this.#string();
    else if (first === openBrace || first === openBracket) {
      this.#closing.push(first === openBrace ? closeBrace : closeBracket);
      if (this.#closing.length > this.#bounds.nestingMax) throw new JsonError('nested too deeply', this.#at, 'nesting');
      this.#at++;
      return first;
    } else if (first === 0x74) this.#word('true');
    else if (first === 0x66) this.#word('false');
    else if (first === 0x6e) this.#word('null');
    else this.#number();
    return null;
  }

  /** Skips a member's name and colon; returns the member if it belongs to the root object. */
  #name(): OpenMember | null {
    if (this.#peek() !== quote) throw this.#unexpected('a name in double quotes', this.#at);
    const start = this.#at;
    this.#string();
    const end = this.#at;
    if (this.#peek() !== colon) throw this.#unexpected("':' after a name", this.#at);
    this.#at++;
    if (this.#closing.length > 1) return null;
    return { name: { start, end }, start: this.#next() };
  }

  #string(): void {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === quote) break;
      if (byte === undefined) throw new JsonError('a string that does not end', this.#at, 'syntax', at);
      if (byte < 0x20) throw new JsonError('a control character in a string', at);
      at += byte === backslash ? this.#escape(at) : 1;
    }
    this.#at = at + 1;
  }

  /** Returns the length of the escape at that position. */
  #escape(at: number): number {
    const kind = this.#bytes[at + 1];
    if (kind === 0x75) {
      for (let digit = at + 2; digit < at + 6; digit++) {
        if (!isHexadecimal(this.#bytes[digit])) throw new JsonError('an escape without four hexadecimal digits', at);
      }
      return 6;
    }
    if (kind === undefined || !escapable.has(kind)) throw new JsonError('an escape that JSON does not know', at);
    return 2;
  }

  #number(): void {
    const start = this.#at;
    let at = start;
    /** The end of the longest number that starts there. */
    let numberEnd = start;
    const digits = () => {
      const from = at;
      while (isDigit(this.#bytes[at])) at++;
      if (at === from) throw this.#unexpected(from === start ? 'a value' : 'a digit', at, numberEnd);
      numberEnd = at;
    };
    if (this.#bytes[at] === 0x2d) at++;
    if (this.#bytes[at] === 0x30) numberEnd = ++at;
    else digits();
    if (this.#bytes[at] === 0x2e) {
      at++;
      digits();
    }
    if (this.#bytes[at] === 0x65 || this.#bytes[at] === 0x45) {
      at++;
      if (this.#bytes[at] === 0x2b || this.#bytes[at] === 0x2d) at++;
      digits();
    }
    this.#at = at;
  }

  #word(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.#bytes[this.#at + i] !== word.charCodeAt(i)) throw this.#unexpected('a value', this.#at);
    }
    this.#at += word.length;
  }

  /** Skips white space; returns the position after it. */
  #next(): number {
    let byte = this.#bytes[this.#at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.#bytes[++this.#at];
    return this.#at;
  }

  #peek(): number | undefined {
    return this.#bytes[this.#next()];
  }

  #unexpected(expected: string, at: number, unexpectedAt = at): JsonError {
    const suffix = at < this.#bytes.length ? '' : ', where the text ends';
    return new JsonError(`expected ${expected}${suffix}`, at, 'syntax', unexpectedAt);
  }
}

const escapable: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const isHexadecimal = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/**
 * Returns the position of a byte in a UTF-8 text, as an editor shows it: line and column start at 1, columns are in
 * characters.
 */
export function positionOf(bytes: Uint8Array, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  let column = 1;
  for (let at = lineStart; at < offset; at++) {
    // Continuation bytes are not separate columns (RFC 3629, section 3).
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) column++;
  }
  return `line ${line}, column ${column}`;
}
