const initialCapacityBytes = 4_096;

/**
 * Collects a body in one growing buffer. A list of chunks would need a hundred times as much memory as the body if the
 * server sends it byte by byte.
 */
export class BodyCollector {
  readonly #bytesMax: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #isTruncated = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether the body was longer than the maximum. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get body(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Adds a chunk. Returns false once the body is longer than the maximum: nothing more is needed. */
  add(chunk: Uint8Array): boolean {
    const bytesLeft = this.#bytesMax - this.#length;
    this.#isTruncated ||= chunk.byteLength > bytesLeft;
    const part = this.#isTruncated ? chunk.subarray(0, bytesLeft) : chunk;
    this.#grow(this.#length + part.byteLength);
    this.#buffer.set(part, this.#length);
    this.#length += part.byteLength;
    return !this.#isTruncated;
  }

  #grow(bytes: number): void {
    if (bytes <= this.#buffer.byteLength) return;
    const capacity = Math.min(this.#bytesMax, Math.max(bytes, 2 * this.#buffer.byteLength, initialCapacityBytes));
    const buffer = Buffer.allocUnsafeSlow(capacity);
    buffer.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = buffer;
  }
}
