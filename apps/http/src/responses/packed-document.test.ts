import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import { assert, nat, property, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineCrc32 } from './crc32-combine.ts';
import type { ChunkedBody } from './route-response.ts';
import { concatGzip, concatUncompressed, uncompressedOf } from './packed-document.ts';

/** Returns the bytes of a body, and the size of its largest part. */
const read = async (body: Uint8Array | ChunkedBody) => {
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), largest: body.length };
  const parts: Uint8Array[] = [];
  for await (const part of body.parts) parts.push(part);
  expect(body.length).toBe(parts.reduce((sum, { length }) => sum + length, 0));
  return { bytes: Buffer.concat(parts), largest: Math.max(...parts.map(({ length }) => length)) };
};

const pack = (text: Uint8Array) => ({
  deflated: deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }),
  crc32: crc32(text),
  bytes: text.length,
});

test('combining the CRC-32s of two texts returns the CRC-32 of their concatenation', () => {
  assert(
    property(uint8Array(), uint8Array({ maxLength: 300 }), (first, second) => {
      return combineCrc32(crc32(first), crc32(second), second.length) === crc32(Buffer.concat([first, second]));
    }),
  );
});

test('CRC-32s can be combined even if the second text is long', () => {
  assert(
    property(nat({ max: 5_000_000 }), (length) => {
      const second = Buffer.alloc(length, 7);
      return combineCrc32(crc32('head'), crc32(second), length) === crc32(Buffer.concat([Buffer.from('head'), second]));
    }),
    { numRuns: 20 },
  );
});

describe('a packed text between two other texts', () => {
  const texts = [0, 1, 100, 65_536, 65_537, 1_000_000, 3_000_000].map((length) =>
    Buffer.from('{"a":"é"}'.repeat(length / 9 + 1)).subarray(0, length),
  );
  test('forms one gzip member together with them', () => {
    for (const text of texts) {
      for (const head of [
        Buffer.alloc(0),
        Buffer.from('{"id":1,'),
        Buffer.alloc(65_535, 1),
        Buffer.alloc(200_000, 2),
      ]) {
        for (const tail of [Buffer.alloc(0), Buffer.from('}'), Buffer.alloc(131_070, 3)]) {
          const document = Buffer.concat([head, text, tail]);
          expect(gunzipSync(concatGzip(head, pack(text), tail)).equals(document)).toBe(true);
        }
      }
    }
  });

  test('is sent uncompressed to clients that do not accept gzip', async () => {
    for (const text of texts) {
      const { bytes } = await read(await concatUncompressed(Buffer.from('<'), pack(text), Buffer.from('>')));
      expect(bytes.equals(Buffer.concat([Buffer.from('<'), text, Buffer.from('>')]))).toBe(true);
      const noBytes = Buffer.alloc(0);
      const repeatedText = await read(await uncompressedOf(concatGzip(noBytes, pack(text), noBytes)));
      expect(repeatedText.bytes.equals(text)).toBe(true);
    }
  });

  test('is never held in memory completely if it is long', async () => {
    const [noBytes, text] = [Buffer.alloc(0), Buffer.alloc(20_000_000, 'text ')];
    const gzip = concatGzip(noBytes, pack(text), noBytes);
    for (const body of [await concatUncompressed(noBytes, pack(text), noBytes), await uncompressedOf(gzip)]) {
      expect((await read(body)).largest).toBeLessThanOrEqual(1_048_576);
    }
  });
});
