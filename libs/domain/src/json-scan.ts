/** `syntax`: not JSON. `nesting`, `values`: exceeds the bounds. */
export type JsonErrorKind = 'syntax' | 'nesting' | 'values';

/** The position at which a text stops being acceptable JSON, and the reason. */
export class JsonError extends Error {
  /** The start of the invalid part, in bytes. */
  readonly offset: number;
  readonly kind: JsonErrorKind;
  /**
   * The first unexpected byte, which may come after the start of the part; the length of the text if the text is incomplete.
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
  #index = 0;
  #values = 0;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  run(): JsonScan {
    const start = this.#skipWhitespace();
    const isObject = this.#bytes[start] === openBrace;
    const isArray = this.#bytes[start] === openBracket;
    let member: OpenMember | null = null;
    let item: number | null = null;
    do {
      // A value must follow here, or the end of an array or object that has just been opened.
      if (isArray && this.#closing.length === 1) item = this.#skipWhitespace();
      const opening = this.#scanValue();
      if (opening === openBrace && this.#peek() !== closeBrace) {
        member = this.#scanName() ?? member;
        continue;
      }
      if (opening === openBracket && this.#peek() !== closeBracket) continue;
      while (this.#closing.length > 0) {
        const end = this.#index;
        const next = this.#peek();
        const expectedClose = this.#closing.at(-1);
        if (member && this.#closing.length === 1 && isObject && (next === comma || next === expectedClose)) {
          this.#members.push({ name: member.name, value: { start: member.start, end } });
          member = null;
        } else if (item !== null && this.#closing.length === 1 && (next === comma || next === expectedClose)) {
          this.#items.push({ start: item, end });
          item = null;
        }
        this.#index++;
        if (next === comma) {
          if (expectedClose === closeBrace) member = this.#scanName() ?? member;
          break;
        }
        if (next !== expectedClose)
          throw this.#createUnexpectedError(
            expectedClose === closeBrace ? "',' or '}'" : "',' or ']'",
            this.#index - 1,
          );
        this.#closing.pop();
      }
    } while (this.#closing.length > 0);

    const end = this.#index;
    if (this.#peek() !== undefined) throw this.#createUnexpectedError('the end of the text', this.#index);
    return { value: { start, end }, members: isObject ? this.#members : null, items: isArray ? this.#items : null };
  }

  /** Skips a scalar, or the byte that opens an array or object; returns that byte, or null for a scalar. */
  #scanValue(): number | null {
    const firstByte = this.#peek();
    if (++this.#values > this.#bounds.valuesMax) {
      throw new JsonError(`more than ${this.#bounds.valuesMax} values`, this.#index, 'values');
    }
    if (firstByte === quote) this.#scanString();
    else if (firstByte === openBrace || firstByte === openBracket) {
      this.#closing.push(firstByte === openBrace ? closeBrace : closeBracket);
      if (this.#closing.length > this.#bounds.nestingMax)
        throw new JsonError('nested too deeply', this.#index, 'nesting');
      this.#index++;
      return firstByte;
    } else if (firstByte === 0x74) this.#scanLiteral('true');
    else if (firstByte === 0x66) this.#scanLiteral('false');
    else if (firstByte === 0x6e) this.#scanLiteral('null');
    else this.#scanNumber();
    return null;
  }

  /** Skips a member's name and colon; returns the member if it belongs to the root object. */
  #scanName(): OpenMember | null {
    if (this.#peek() !== quote) throw this.#createUnexpectedError('a name in double quotes', this.#index);
    const start = this.#index;
    this.#scanString();
    const end = this.#index;
    if (this.#peek() !== colon) throw this.#createUnexpectedError("':' after a name", this.#index);
    this.#index++;
    if (this.#closing.length > 1) return null;
    return { name: { start, end }, start: this.#skipWhitespace() };
  }

  #scanString(): void {
    const bytes = this.#bytes;
    let index = this.#index + 1;
    for (;;) {
      const byte = bytes[index];
      if (byte === quote) break;
      if (byte === undefined) throw new JsonError('an unterminated string', this.#index, 'syntax', index);
      if (byte < 0x20) throw new JsonError('a control character in a string', index);
      index += byte === backslash ? this.#escapeLengthAt(index) : 1;
    }
    this.#index = index + 1;
  }

  /** Returns the length of the escape at that position. */
  #escapeLengthAt(index: number): number {
    const kind = this.#bytes[index + 1];
    if (kind === 0x75) {
      for (let digit = index + 2; digit < index + 6; digit++) {
        if (!isHexadecimal(this.#bytes[digit]))
          throw new JsonError('a Unicode escape without four hexadecimal digits', index);
      }
      return 6;
    }
    if (kind === undefined || !escapable.has(kind)) throw new JsonError('an unknown escape sequence', index);
    return 2;
  }

  #scanNumber(): void {
    const start = this.#index;
    let index = start;
    /** The end of the longest number that starts there. */
    let numberEnd = start;
    const scanDigits = () => {
      const firstDigit = index;
      while (isDigit(this.#bytes[index])) index++;
      if (index === firstDigit)
        throw this.#createUnexpectedError(firstDigit === start ? 'a value' : 'a digit', index, numberEnd);
      numberEnd = index;
    };
    if (this.#bytes[index] === 0x2d) index++;
    if (this.#bytes[index] === 0x30) numberEnd = ++index;
    else scanDigits();
    if (this.#bytes[index] === 0x2e) {
      index++;
      scanDigits();
    }
    if (this.#bytes[index] === 0x65 || this.#bytes[index] === 0x45) {
      index++;
      if (this.#bytes[index] === 0x2b || this.#bytes[index] === 0x2d) index++;
      scanDigits();
    }
    this.#index = index;
  }

  #scanLiteral(literal: string): void {
    for (let i = 0; i < literal.length; i++) {
      if (this.#bytes[this.#index + i] !== literal.charCodeAt(i))
        throw this.#createUnexpectedError('a value', this.#index);
    }
    this.#index += literal.length;
  }

  /** Skips white space; returns the position after it. */
  #skipWhitespace(): number {
    let byte = this.#bytes[this.#index];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.#bytes[++this.#index];
    return this.#index;
  }

  #peek(): number | undefined {
    return this.#bytes[this.#skipWhitespace()];
  }

  #createUnexpectedError(expected: string, index: number, unexpectedAt = index): JsonError {
    const suffix = index < this.#bytes.length ? '' : ', where the text ends';
    return new JsonError(`expected ${expected}${suffix}`, index, 'syntax', unexpectedAt);
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
  for (let index = bytes.indexOf(0x0a); index !== -1 && index < offset; index = bytes.indexOf(0x0a, index + 1)) {
    line++;
    lineStart = index + 1;
  }
  let column = 1;
  for (let index = lineStart; index < offset; index++) {
    // Continuation bytes are not separate columns (RFC 3629, section 3).
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) column++;
  }
  return `line ${line}, column ${column}`;
}
