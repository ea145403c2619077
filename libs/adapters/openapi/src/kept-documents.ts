import type { Json } from '@portico/domain';

interface Kept {
  readonly document: Json;
  readonly heapBytes: number;
}

/** Parsed documents, of which the ones that were not asked for the longest are forgotten first. */
export class KeptDocuments {
  readonly #kept = new Map<string, Kept>();
  readonly #heapBytesMax: number;
  #heapBytes = 0;

  constructor(heapBytesMax: number) {
    this.#heapBytesMax = heapBytesMax;
  }

  get(digest: string): Json | undefined {
    const kept = this.#kept.get(digest);
    if (!kept) return undefined;
    this.#kept.delete(digest);
    this.#kept.set(digest, kept);
    return kept.document;
  }

  /**
   * Makes room for a text, then keeps what it is parsed to. One document is kept even if it alone exceeds the limit; it
   * is not in memory together with others.
   */
  keep(digest: string, text: Uint8Array, parse: () => Json): void {
    const heapBytes = heapBytesOf(text);
    this.#forget(digest);
    for (const oldest of this.#kept.keys()) {
      if (this.#heapBytes + heapBytes <= this.#heapBytesMax) break;
      this.#forget(oldest);
    }
    this.#kept.set(digest, { document: parse(), heapBytes });
    this.#heapBytes += heapBytes;
  }

  #forget(digest: string): void {
    this.#heapBytes -= this.#kept.get(digest)?.heapBytes ?? 0;
    this.#kept.delete(digest);
  }
}

/** What a parsed value takes at most, whatever its text. */
const valueBytesMax = 170;
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];

/** No fewer than the bytes of the text, or of as many values as it can hold by its commas and brackets. */
export function heapBytesOf(text: Uint8Array): number {
  let values = 1;
  for (const byte of text) if (byte === comma || byte === bracket || byte === brace) values++;
  return Math.max(text.length, values * valueBytesMax);
}
