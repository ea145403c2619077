import type { DocumentPath } from '@portico/domain';

/**
 * The name that stands first in the object at that place of a JSON text which `scanJson` has taken; undefined where there is no object
 * or nothing in it. Of a doubled member on the way the last one counts, as in `JSON.parse`. Builds nothing but the names that it passes
 * on its way.
 */
export function firstNameAt(text: Uint8Array, path: DocumentPath): string | undefined {
  const walk = new Walk(text);
  let at: number | undefined = walk.afterSpace(0);
  for (const token of path) at = at === undefined ? at : walk.partAt(at, token);
  if (at === undefined) return undefined;
  for (const { name } of walk.partsAt(at)) return typeof name === 'string' ? name : undefined;
  return undefined;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closing: ReadonlySet<number | undefined> = new Set(Buffer.from('}]'));
const spaces: ReadonlySet<number | undefined> = new Set(Buffer.from(' \n\r\t'));
const ends: ReadonlySet<number | undefined> = new Set([...Buffer.from(',}] \n\r\t'), undefined]);

/** Goes through a text that is known to be JSON, so that nothing is checked again. */
class Walk {
  readonly #text: Uint8Array;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  afterSpace(at: number): number {
    while (spaces.has(this.#text[at])) at++;
    return at;
  }

  /** Where the value of that member or item of the value at `at` begins. */
  partAt(at: number, token: string | number): number | undefined {
    let found: number | undefined;
    for (const { name, start } of this.partsAt(at)) {
      if (name !== token) continue;
      found = start;
      if (typeof name === 'number') break;
    }
    return found;
  }

  /** The members of the object, or the items of the array, that begins at `at`: none of any other value. */
  *partsAt(at: number): Generator<{ readonly name: string | number; readonly start: number }> {
    const opened = this.#text[at];
    if (opened !== openBrace && opened !== openBracket) return;
    at = this.afterSpace(at + 1);
    for (let index = 0; !closing.has(this.#text[at]); index++) {
      let name: string | number = index;
      if (opened === openBrace) {
        const end = this.#afterText(at);
        name = JSON.parse(Buffer.from(this.#text.subarray(at, end)).toString()) as string;
        at = this.afterSpace(this.afterSpace(end) + 1);
      }
      yield { name, start: at };
      at = this.afterSpace(this.#afterValue(at));
      if (!closing.has(this.#text[at])) at = this.afterSpace(at + 1);
    }
  }

  #afterValue(at: number): number {
    let depth = 0;
    do {
      const byte = this.#text[at];
      if (byte === quote) at = this.#afterText(at);
      else if (byte === openBrace || byte === openBracket) {
        depth++;
        at++;
      } else if (closing.has(byte)) {
        depth--;
        at++;
      } else if (depth > 0) at++;
      else while (!ends.has(this.#text[at])) at++;
    } while (depth > 0);
    return at;
  }

  #afterText(at: number): number {
    for (at++; this.#text[at] !== quote; at++) if (this.#text[at] === backslash) at++;
    return at + 1;
  }
}
