import { scanJson, type Json, type JsonMember, type JsonObject } from '@portico/domain';
import { parsed } from './read-json.ts';

/** These have many parts, of which a slice needs few: the members so many levels below them. */
const levelsOf: ReadonlyMap<string, number> = new Map([
  ['paths', 1],
  ['webhooks', 1],
  ['components', 2],
]);

/** An object of more members is parsed as a whole: it would take no less in parts. */
const membersMax = 100_000;

/** Parts whose texts have up to this many bytes together are kept from one look to the next. */
const keptTextMax = 2 * 1_048_576;

/** In bytes: what a member takes at most before it is parsed, and any parsed value. */
const [memberMax, valueMax] = [400, 170];

const [openBrace, openBracket, comma] = [0x7b, 0x5b, 0x2c];
const bounds = { nestingMax: Number.POSITIVE_INFINITY, valuesMax: Number.POSITIVE_INFINITY };

/**
 * A document in the form of its text, whose paths and components are parsed when they are looked at. Parsed as a whole,
 * one of 20 MB takes 100 MB and more. Throws `JsonError` for a text that is not JSON.
 */
export class SparseDocument {
  readonly #text: Uint8Array;
  readonly #root: Json;
  /** The objects of many parts, which stay, and the parts, which are forgotten once there are too many. */
  readonly #objects = new Map<JsonMember, Json>();
  readonly #parts = new Map<JsonMember, Json>();
  #partsText = 0;
  #bytes: number;

  constructor(text: Uint8Array) {
    this.#text = text;
    this.#bytes = text.length + Math.min(text.length, keptTextMax) * bytesOfText;
    this.#root = this.#object(0, text.length, (name) => levelsOf.get(name) ?? 0);
  }

  /** An upper estimate of what it takes in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The document. Its parts are the same ones until the next look. */
  look(): Json {
    if (this.#partsText > keptTextMax) {
      this.#parts.clear();
      this.#partsText = 0;
    }
    return this.#root;
  }

  /** The value of that text, with the members of an object parsed when they are looked at. */
  #object(start: number, end: number, levels: (name: string) => number): Json {
    const text = this.#text.subarray(start, end);
    const { members } = scanJson(text, bounds);
    if (!members || members.length > membersMax) {
      this.#bytes += parsedBytesMax(text);
      return parsed(text);
    }
    this.#bytes += members.length * memberMax;
    const object: JsonObject = {};
    for (const member of members) {
      const name = parsed(text.subarray(member.name.start, member.name.end)) as string;
      const get = (): Json => this.#member(member, start, levels(name));
      // As for `JSON.parse`, the last member of a name counts, and `__proto__` is a name as any other.
      Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
    }
    return object;
  }

  #member(member: JsonMember, offset: number, levels: number): Json {
    const known = this.#objects.get(member) ?? this.#parts.get(member);
    if (known !== undefined) return known;
    const [start, end] = [offset + member.value.start, offset + member.value.end];
    if (levels > 0 && this.#text[start] === openBrace) {
      const object = this.#object(start, end, () => levels - 1);
      this.#objects.set(member, object);
      return object;
    }
    const part = parsed(this.#text.subarray(start, end));
    this.#parts.set(member, part);
    this.#partsText += end - start;
    return part;
  }
}

/** What a byte of text takes once it is parsed, in documents of a usual density. */
const bytesOfText = 3;

/** No fewer than as many values take as the text can hold by its commas and brackets. */
function parsedBytesMax(text: Uint8Array): number {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === comma || byte === openBracket || byte === openBrace) values++;
  }
  return values * valueMax;
}
