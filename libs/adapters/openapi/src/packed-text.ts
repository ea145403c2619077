import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PackedText } from '@portico/domain';

/**
 * Packs a text so that more blocks can follow: a sync flush ends the stream on a byte boundary, without a final block.
 */
export function packText(text: Uint8Array): PackedText {
  return { deflated: Uint8Array.from(deflate(text, 6)), crc32: crc32(text), bytes: text.byteLength };
}

/** Returns the text in UTF-8. The stream has no final block: it ends where the input ends. */
export function unpackText({ deflated, bytes }: PackedText): Buffer {
  // If there is room for one more byte, the buffer is never reallocated.
  const bufferOptions = { chunkSize: Math.max(bytes + 1, 64), maxOutputLength: Math.max(bytes, 1) };
  return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH, ...bufferOptions });
}

/** Packs a text that is produced piece by piece and is never in memory as a whole. */
export class TextPacker {
  readonly #deflatedParts: Uint8Array[] = [];
  #pieces: string[] = [];
  #length = 0;
  #crc32 = 0;
  #bytes = 0;

  add(piece: string): void {
    this.#pieces.push(piece);
    if ((this.#length += piece.length) >= partLength) this.#pack();
  }

  finish(): PackedText {
    this.#pack();
    // The bytes are copied so that they can be transferred.
    return { deflated: Uint8Array.from(Buffer.concat(this.#deflatedParts)), crc32: this.#crc32, bytes: this.#bytes };
  }

  /** Packs the current part. Each part ends on a byte boundary, so the next one can follow. */
  #pack(): void {
    const text = Buffer.from(this.#pieces.join(''));
    this.#deflatedParts.push(deflate(text, constants.Z_BEST_SPEED));
    this.#crc32 = crc32(text, this.#crc32);
    this.#bytes += text.length;
    this.#pieces = [];
    this.#length = 0;
  }
}

/**
 * The number of characters to collect before they are packed as one part: far more than the compression window, which
 * does not extend across parts.
 */
const partLength = 1_048_576;

const deflate = (text: Uint8Array, level: number): Uint8Array =>
  deflateRawSync(text, { level, finishFlush: constants.Z_SYNC_FLUSH });
