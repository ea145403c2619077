import { promisify } from 'node:util';
import { constants, crc32, createGunzip, createInflateRaw, gunzip, inflateRaw, inflateRawSync } from 'node:zlib';
import type { PackedText } from '@portico/domain';
import type { ChunkedBody } from './route-response.ts';
import { combineCrc32 } from './crc32-combine.ts';

/** The header fields: ID1, ID2, deflate, no flags, no time, no hint, unknown system (RFC 1952, section 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const storedMaxBytes = 65_535;

/**
 * Returns `head`, the packed text and `tail` as one gzip member. The text is not compressed again: its blocks are
 * placed between stored blocks of `head` and `tail` (RFC 1951, section 3.2.4), which works because the text ends with a
 * sync flush.
 */
export const concatGzip = (
  head: Uint8Array,
  { deflated, crc32: textCrc, bytes }: PackedText,
  tail: Uint8Array,
): Buffer => {
  const crc = combineCrc32(combineCrc32(crc32(head), textCrc, bytes), crc32(tail), tail.length);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE((head.length + bytes + tail.length) % 0x1_0000_0000, 4);
  return Buffer.concat([gzipHeader, ...toStoredBlocks(head, false), deflated, ...toStoredBlocks(tail, true), trailer]);
};

const toStoredBlocks = (content: Uint8Array, isLast: boolean): Uint8Array[] => {
  const blocks: Uint8Array[] = [];
  for (let offset = 0; offset === 0 || offset < content.length; offset += storedMaxBytes) {
    const part = content.subarray(offset, offset + storedMaxBytes);
    const header = Buffer.alloc(5);
    header.writeUInt8(isLast && offset + storedMaxBytes >= content.length ? 1 : 0, 0);
    header.writeUInt16LE(part.length, 1);
    header.writeUInt16LE(~part.length & 0xffff, 3);
    blocks.push(header, part);
  }
  return blocks;
};

/** Texts up to this length are inflated on this thread: passing them to the thread pool would take longer. */
const inflateInPlaceMaxBytes = 65_536;

const inflateInPool = promisify(inflateRaw);
const gunzipInPool = promisify<Uint8Array, Uint8Array>(gunzip);

/**
 * Texts longer than this are inflated in parts while they are sent, so that they never fill the memory, even for slow
 * clients.
 */
const inMemoryMaxBytes = 1_048_576;
const chunkOptions = { chunkSize: 262_144 };

/** Returns `head`, the text and `tail`, uncompressed. */
export const concatUncompressed = async (
  head: Uint8Array,
  packedText: PackedText,
  tail: Uint8Array,
): Promise<Uint8Array | ChunkedBody> =>
  packedText.bytes <= inMemoryMaxBytes
    ? Buffer.concat([head, await inflate(packedText), tail])
    : { length: head.length + packedText.bytes + tail.length, parts: concatParts(head, packedText, tail) };

/** Returns the uncompressed content of a gzip member, which must be smaller than 4 GiB. */
export const uncompressedOf = async (gzip: Uint8Array): Promise<Uint8Array | ChunkedBody> => {
  const length = new DataView(gzip.buffer, gzip.byteOffset + gzip.byteLength - 4, 4).getUint32(0, true);
  return length <= inMemoryMaxBytes ? gunzipInPool(gzip) : { length, parts: gunzipInParts(gzip) };
};

async function* concatParts(
  head: Uint8Array,
  { deflated }: PackedText,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (head.length > 0) yield head;
  yield* createInflateRaw({ ...chunkOptions, finishFlush: constants.Z_SYNC_FLUSH }).end(deflated);
  if (tail.length > 0) yield tail;
}

async function* gunzipInParts(gzip: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createGunzip(chunkOptions).end(gzip);
}

const inflate = async ({ deflated, bytes }: PackedText): Promise<Uint8Array> => {
  // The stream has no final block, so it ends where the input ends.
  const options = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: Math.max(bytes, 64) };
  return bytes <= inflateInPlaceMaxBytes ? inflateRawSync(deflated, options) : inflateInPool(deflated, options);
};
