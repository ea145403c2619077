import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { unreachable } from './failures.ts';

/** The maximum number of codings on top of each other. Each one multiplies the effect of a bomb. */
const codingsMax = 2;

const chunkSize = 65_536;
/** A window of 8 MiB, as RFC 9659 requires for the coding `zstd`; a frame could demand 2 GiB. */
const zstdParameters = { [constants.ZSTD_d_windowLogMax]: 23 };

/** Some servers send `deflate` without the wrapper that RFC 9110, section 8.4.1.2, requires. */
const hasZlibHeader = (firstByte: number): boolean => (firstByte & 0x0f) === 8;

const decoders: Readonly<Record<string, (firstByte: number | null) => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: (firstByte) =>
    firstByte === null || hasZlibHeader(firstByte) ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: zstdParameters }),
};

/**
 * Returns the codings in the order in which the server applied them. Throws `upstream_unreachable` for an unknown one,
 * and for more than two.
 */
export const parseContentCodings = (values: readonly string[]): readonly string[] => {
  const codings = values
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (!codings.every((coding) => Object.hasOwn(decoders, coding))) {
    throw unreachable('its response has an unknown Content-Encoding: it may use gzip, deflate, br or zstd');
  }
  if (codings.length > codingsMax) throw unreachable(`its response has more than ${codingsMax} content codings`);
  return codings;
};

export interface DecoderListener {
  /** Receives decoded bytes. */
  onData(chunk: Buffer): void;
  /** All bytes were decoded. */
  onEnd(): void;
  /** The coded bytes are invalid or incomplete. */
  onError(error: unknown): void;
  /** Further bytes may be written. */
  onDrain(): void;
}

/** Decodes a body as it arrives. The listener is not called after `destroy`. */
export class BodyDecoder {
  readonly #codings: readonly string[];
  readonly #listener: DecoderListener;
  #streams: Transform[] = [];
  #isDestroyed = false;

  constructor(codings: readonly string[], listener: DecoderListener) {
    this.#codings = codings;
    this.#listener = listener;
  }

  /** Returns false if the decoder needs time, as a stream does. */
  write(chunk: Buffer): boolean {
    if (this.#streams.length === 0) this.#start(chunk[0] ?? 0);
    return this.#streams[0]?.write(chunk) ?? true;
  }

  /** A body without a single byte needs no decoding: servers name a coding for these too. */
  end(): void {
    if (this.#streams[0]) this.#streams[0].end();
    else this.#listener.onEnd();
  }

  destroy(): void {
    this.#isDestroyed = true;
    for (const stream of this.#streams) stream.destroy();
  }

  #start(firstByte: number): void {
    // The coding that was applied last is decoded first.
    this.#streams = this.#codings
      .toReversed()
      .map((coding, index) => decoders[coding]?.(index === 0 ? firstByte : null))
      .filter((stream) => stream !== undefined);
    for (const stream of this.#streams) {
      stream.on('error', (error) => {
        if (!this.#isDestroyed) this.#listener.onError(error);
      });
    }
    for (const [index, stream] of this.#streams.slice(1).entries()) this.#streams[index]?.pipe(stream);
    this.#streams.at(0)?.on('drain', () => {
      if (!this.#isDestroyed) this.#listener.onDrain();
    });
    this.#streams.at(-1)?.on('data', (chunk: Buffer) => {
      if (!this.#isDestroyed) this.#listener.onData(chunk);
    });
    this.#streams.at(-1)?.on('end', () => {
      if (!this.#isDestroyed) this.#listener.onEnd();
    });
  }
}
