import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { reset, startUpstream, type HostileUpstream } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, unreachable } from '../test/open-egress.ts';

/** Starts a server that sends each body whole, with its length. */
const serve = (body: Uint8Array, coding: string): Promise<HostileUpstream> =>
  startUpstream((socket) => {
    const codingLine = coding === '' ? '' : `Content-Encoding: ${coding}\r\n`;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.byteLength}\r\n${codingLine}\r\n`);
    socket.write(body);
  });

const send = async (body: Uint8Array, coding: string, bodyBytesMax?: number): Promise<string> => {
  const { origin } = await serve(body, coding);
  return outcomeOf(sendTo(openEgress(), origin, {}, bodyBytesMax === undefined ? {} : { bodyBytesMax }));
};

const mebibyte = 1_048_576;
const hello = Buffer.from('hello');
const helloGzip = gzipSync(hello);
const doesNotMatch = `${unreachable}the body of its response does not match its Content-Encoding`;
const unknownCoding = `${unreachable}its response has an unknown Content-Encoding: it may use gzip, deflate, br or zstd`;
const tooManyCodings = `${unreachable}its response has more than 2 content codings`;

describe('a body is decoded', () => {
  test.each([
    ['gzip', helloGzip, 'hello'],
    ['x-gzip', helloGzip, 'hello'],
    ['GZIP', helloGzip, 'hello'],
    ['deflate', deflateSync(hello), 'hello'],
    ['deflate', deflateRawSync(hello), 'hello'],
    ['br', brotliCompressSync(hello), 'hello'],
    ['zstd', zstdCompressSync(hello), 'hello'],
    ['identity', hello, 'hello'],
    ['', hello, 'hello'],
    ['gzip, identity', helloGzip, 'hello'],
    ['gzip, gzip', gzipSync(helloGzip), 'hello'],
    ['br, gzip', gzipSync(brotliCompressSync(hello)), 'hello'],
    ['gzip', Buffer.concat([helloGzip, helloGzip]), 'hellohello'],
    ['gzip', Buffer.alloc(0), ''],
  ] as const)('with the coding "%s"', async (coding, body, expected) => {
    expect(await send(body, coding)).toBe(`200 ${expected}`.trim());
  });
});

describe('a body that cannot be decoded is an error', () => {
  test.each([
    ['compress', hello, unknownCoding],
    ['toString', hello, unknownCoding],
    ['gzip, dcb', helloGzip, unknownCoding],
    ['gzip, gzip, gzip', helloGzip, tooManyCodings],
    [Array.from({ length: 1_000 }, () => 'br').join(','), helloGzip, tooManyCodings],
    ['gzip', hello, doesNotMatch],
    ['deflate', hello, doesNotMatch],
    ['br', Buffer.from('this is not brotli'), doesNotMatch],
    ['zstd', hello, doesNotMatch],
    ['gzip', helloGzip.subarray(0, -4), doesNotMatch],
    ['gzip', helloGzip.subarray(0, 5), doesNotMatch],
    ['deflate', deflateSync(hello).subarray(0, -3), doesNotMatch],
    ['br', brotliCompressSync(hello).subarray(0, -2), doesNotMatch],
    ['zstd', zstdCompressSync(hello).subarray(0, -2), doesNotMatch],
    ['gzip, gzip', gzipSync(hello), doesNotMatch],
    ['gzip', Buffer.from(helloGzip).fill(0, helloGzip.length - 8, helloGzip.length - 4), doesNotMatch],
  ])('with the coding "%.20s" (%#)', async (coding, body, expected) => {
    expect(await send(body, coding)).toBe(expected);
  });

  test('a zstd frame that demands a window of 128 MiB', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27 };
    const frame = zstdCompressSync(Buffer.alloc(16 * mebibyte), { params, pledgedSrcSize: undefined });
    expect(await send(frame, 'zstd')).toBe(doesNotMatch);
  });
});

describe('a body is cut at the limit', () => {
  test.each([
    ['exactly as long', 'hello', 5, '200 hello'],
    ['one byte longer', 'hello', 4, '200 hell [truncated]'],
    ['a limit of zero', 'hello', 0, '200  [truncated]'],
    ['an empty body and a limit of zero', '', 0, '200'],
  ])('%s', async (_title, body, bodyBytesMax, expected) => {
    expect(await send(Buffer.from(body), '', bodyBytesMax)).toBe(expected);
    expect(await send(body === '' ? Buffer.alloc(0) : gzipSync(body), 'gzip', bodyBytesMax)).toBe(expected);
  });

  test('the connection of a body that was cut is closed, and not used again', async () => {
    const upstream = await serve(hello, '');
    const egress = openEgress();
    await sendTo(egress, upstream.origin, {}, { bodyBytesMax: 2 });
    expect(egress.connections).toBe(0);
    await sendTo(egress, upstream.origin);
    expect(upstream.accepted).toBe(2);
    await expect.poll(() => upstream.open).toBe(1);
  });

  test('a body that never ends is not read beyond the limit', async () => {
    let writtenBytes = 0;
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const chunk = Buffer.alloc(65_536, 'a');
      const write = (): void => {
        while (!socket.destroyed && socket.write(chunk)) writtenBytes += chunk.byteLength;
        if (!socket.destroyed) socket.once('drain', write);
      };
      write();
    });
    const { body, isTruncated } = await sendTo(openEgress(), upstream.origin, {}, { bodyBytesMax: 1_000 });
    expect([body.byteLength, isTruncated]).toEqual([1_000, true]);
    await expect.poll(() => upstream.open).toBe(0);
    expect(writtenBytes).toBeLessThan(64 * mebibyte);
  });

  test('a body that arrives byte by byte is complete', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write('1\r\na\r\n'.repeat(50_000));
      socket.end('0\r\n\r\n');
    });
    const { body, isTruncated } = await sendTo(openEgress(), upstream.origin, {}, { bodyBytesMax: 50_000 });
    expect([body.byteLength, isTruncated]).toEqual([50_000, false]);
  });
});

describe('a bomb does not explode', () => {
  /** A gigabyte of zeros: 1024 members of a megabyte each. */
  const gigabyte = Buffer.concat(Array.from({ length: 1_024 }, () => gzipSync(Buffer.alloc(mebibyte))));
  const quarter = Buffer.alloc(256 * mebibyte);
  const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const bombs: readonly (readonly [title: string, coding: string, create: () => Buffer])[] = [
    ['1 GiB in gzip', 'gzip', () => gigabyte],
    ['1 GiB in gzip in gzip', 'gzip, gzip', () => gzipSync(gigabyte)],
    ['256 MiB in br', 'br', () => brotliCompressSync(quarter, brotliQuality)],
    ['256 MiB in deflate', 'deflate', () => deflateSync(quarter, { level: 1 })],
    ['256 MiB in zstd', 'zstd', () => zstdCompressSync(quarter)],
  ];

  test.each(bombs)('%s', async (_title, coding, create) => {
    const { origin } = await serve(create(), coding);
    const egress = openEgress();
    const bytesBefore = process.memoryUsage().rss;
    const { body, isTruncated } = await sendTo(egress, origin, {}, { bodyBytesMax: 10 * mebibyte });
    expect([body.byteLength, isTruncated]).toEqual([10 * mebibyte, true]);
    expect(process.memoryUsage().rss - bytesBefore).toBeLessThan(128 * mebibyte);
  });

  test.each([
    ['empty chunks of a coding', 'gzip', gzipSync('')],
    ['extensions of chunks', '', Buffer.from('')],
  ])('%s are not read without end', async (_title, coding, member) => {
    const chunk = coding === '' ? `1;${'x'.repeat(60_000)}\r\na\r\n` : `${member.byteLength.toString(16)}\r\n`;
    const block = coding === '' ? Buffer.from(chunk) : Buffer.concat([Buffer.from(chunk), member, Buffer.from('\r\n')]);
    const blocks = Buffer.concat(Array.from({ length: coding === '' ? 4 : 10_000 }, () => block));
    const upstream = await startUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: ${coding}\r\n\r\n`);
      const write = (): void => {
        while (!socket.destroyed && socket.write(blocks));
        if (!socket.destroyed) socket.once('drain', write);
      };
      write();
    });
    const outcome = await outcomeOf(sendTo(openEgress(), upstream.origin, {}, { bodyBytesMax: 1_000 }));
    expect(outcome).toBe(`${unreachable}its response is too long`);
  });

  test('interim responses without end', async () => {
    const upstream = await startUpstream((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Hints\r\n\r\n'), 1);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await outcomeOf(sendTo(openEgress(), upstream.origin));
    expect(outcome).toBe(`${unreachable}it sends too many interim responses`);
  });

  test('a header without end', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-A: ');
      const timer = setInterval(() => socket.write('a'.repeat(1_000)), 1);
      socket.on('close', () => clearInterval(timer));
      socket.on('error', () => reset(socket));
    });
    const outcome = await outcomeOf(sendTo(openEgress(), upstream.origin));
    expect(outcome).toBe(`${unreachable}the headers of its response are too long`);
  });
});
