import { parseExactJson, scanJson, type Json, type JsonMember, type JsonObject } from '@portico/domain';

/** Members with many parts, only a few of which a slice needs, and the depth of those parts below the member. */
const lazyLevels: ReadonlyMap<string, number> = new Map([
  ['paths', 1],
  ['webhooks', 1],
  ['components', 2],
]);

/**
 * An object with more members than this is parsed as a whole, because parsing it in parts would not use less memory.
 */
const lazyMembersMax = 100_000;

/** Parsed parts are cached across views as long as the total size of their text does not exceed this many bytes. */
const cachedTextMax = 2 * 1_048_576;

/** Maximum memory for an unparsed member and for any parsed value, in bytes. */
const [memberBytesMax, valueBytesMax] = [400, 170];

const [openBrace, openBracket, comma] = [0x7b, 0x5b, 0x2c];
const bounds = { nestingMax: Number.POSITIVE_INFINITY, valuesMax: Number.POSITIVE_INFINITY };

/**
 * A document that is stored as text, and whose paths and components are parsed when they are accessed. Parsed as a
 * whole, a document of 20 MB takes 100 MB or more. Throws `JsonError` for a text that is not JSON.
 */
export class SparseDocument {
  readonly #text: Uint8Array;
  readonly #root: Json;
  /** The objects with many parts, which are never evicted, and the parts, which are cleared when there are too many. */
  readonly #objects = new Map<JsonMember, Json>();
  readonly #parts = new Map<JsonMember, Json>();
  #partsLength = 0;
  #bytes: number;

  constructor(text: Uint8Array) {
    this.#text = text;
    this.#bytes = text.length + Math.min(text.length, cachedTextMax) * parsedBytesPerByte;
    this.#root = this.#createObject(0, text.length, (name) => lazyLevels.get(name) ?? 0);
  }

  /** An upper estimate of the memory that the document takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the document. Until the next call, repeated access to a part returns the same object. */
  getDocument(): Json {
    if (this.#partsLength > cachedTextMax) {
      this.#parts.clear();
      this.#partsLength = 0;
    }
    return this.#root;
  }

  /** Returns the value of the text from `start` to `end`. If it is an object, its members are parsed when accessed. */
  #createObject(start: number, end: number, levelsOf: (name: string) => number): Json {
    const text = this.#text.subarray(start, end);
    const { members } = scanJson(text, bounds);
    if (!members || members.length > lazyMembersMax) {
      this.#bytes += estimateParsedBytes(text);
      return parse(text);
    }
    this.#bytes += members.length * memberBytesMax;
    const object: JsonObject = {};
    for (const member of members) {
      const name = parse(text.subarray(member.name.start, member.name.end)) as string;
      const get = (): Json => this.#readMember(member, start, levelsOf(name));
      // As in `JSON.parse`, the last member with a given name counts, and `__proto__` is a name like any other.
      Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
    }
    return object;
  }

  #readMember(member: JsonMember, offset: number, levels: number): Json {
    const cachedPart = this.#objects.get(member) ?? this.#parts.get(member);
    if (cachedPart !== undefined) return cachedPart;
    const [start, end] = [offset + member.value.start, offset + member.value.end];
    if (levels > 0 && this.#text[start] === openBrace) {
      const object = this.#createObject(start, end, () => levels - 1);
      this.#objects.set(member, object);
      return object;
    }
    const part = parse(this.#text.subarray(start, end));
    this.#parts.set(member, part);
    this.#partsLength += end - start;
    return part;
  }
}

/** Bytes of memory per byte of parsed text, in documents of typical density. */
const parsedBytesPerByte = 3;

/**
 * Returns an upper bound for the memory of the parsed text, based on the number of values that its commas and brackets
 * allow.
 */
function estimateParsedBytes(text: Uint8Array): number {
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index];
    if (byte === comma || byte === openBracket || byte === openBrace) values++;
  }
  return values * valueBytesMax;
}

/** Parses a part of a text, keeping the digits of its numbers. */
const parse = (bytes: Uint8Array): Json =>
  parseExactJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
