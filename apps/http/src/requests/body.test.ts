import { once } from 'node:events';
import { createServer, IncomingMessage, request } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ClientGone, parseJsonBody, readBodyBytes, refusePollutingMembers } from './body.ts';

/** Sends a body in these parts, with or without a declared length, and returns the bytes that the server reads. */
const sendAndRead = async (parts: readonly Buffer[], declared: boolean): Promise<Uint8Array> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const length = declared ? { 'content-length': Buffer.concat(parts).length } : {};
    const headers = { 'content-type': 'application/json', ...length };
    const client = request({ port, method: 'POST', headers });
    client.on('error', () => undefined);
    for (const part of parts) client.write(part);
    client.end();
    const [received] = (await once(server, 'request')) as Parameters<typeof readBodyBytes>;
    return await readBodyBytes(received, 1_000_000, () => undefined);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

test('a BOM before a body is removed, and one within it stays', () => {
  expect(parseJsonBody(Buffer.from('\uFEFF{"a":"\uFEFFé"}')).memberText('a')).toBe('"\uFEFFé"');
  expect(parseJsonBody(Buffer.from('{"a":"b","c":1}')).memberText('c')).toBe('1');
});

test('a body of any length is read completely, with and without a declared length', async () => {
  for (const length of [1, 1_000, 131_071, 131_072, 900_000]) {
    const whole = Buffer.from(Array.from({ length }, (_, i) => i % 251));
    const parts = [whole.subarray(0, length / 3), whole.subarray(length / 3)];
    for (const declared of [true, false]) {
      expect(whole.equals(await sendAndRead(parts, declared)), `${length} bytes`).toBe(true);
    }
  }
});

test.each([
  ['with the head', 0],
  ['a tick later', 5],
])('after a body that arrived %s, the connection accepts the next request', async (_when, pauseMs) => {
  const bodies: string[] = [];
  const server = createServer((received, response) => {
    // By this time, a body that arrived with the head is available.
    setImmediate(() => {
      void readBodyBytes(received, 100, () => undefined).then((bytes) => {
        bodies.push(Buffer.from(bytes).toString());
        response.end();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (const body of ['"first"', '"second"']) {
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    client.write(pauseMs > 0 ? head : head + body);
    if (pauseMs > 0) {
      await pause(pauseMs);
      client.write(body);
    }
    await once(client, 'data');
  }
  expect(bodies).toEqual(['"first"', '"second"']);
  client.destroy();
  server.close();
});

/** Counts the bytes of a body: the maximum in one tick of the event loop, and the total. */
const watchTicks = (received: IncomingMessage) => {
  const seen = { maxPerTick: 0, total: 0 };
  let inTick = 0;
  received.on('data', ({ length }: Buffer) => {
    if (inTick === 0) setImmediate(() => (inTick = 0));
    inTick += length;
    seen.maxPerTick = Math.max(seen.maxPerTick, inTick);
    seen.total += length;
  });
  return seen;
};

test.each([
  ['accepted with a declared length', 4_194_304, { 'content-length': '4194304' }],
  ['accepted without a declared length', 4_194_304, { 'transfer-encoding': 'chunked' }],
  ['rejected by its declared length', 1_000_000, { 'content-length': '4194304' }],
  ['rejected by its actual length', 1_000_000, { 'transfer-encoding': 'chunked' }],
])('reading a long body yields to the event loop if it is %s', async (_case, limitBytes, length) => {
  const received = new IncomingMessage(new Socket());
  received.headers = { 'content-type': 'application/json', ...length };
  // All of it is available immediately.
  for (let chunk = 0; chunk < 64; chunk += 1) received.push(Buffer.alloc(65_536, ' '));
  received.push(null);
  const read = readBodyBytes(received, limitBytes, () => undefined);
  const seen = watchTicks(received);
  if (limitBytes < 4_194_304) await expect(read).rejects.toThrow('at most 1000000 bytes are taken');
  else expect((await read).length).toBe(4_194_304);
  while (seen.total < 4_194_304) await new Promise(setImmediate);
  expect(seen.maxPerTick).toBe(262_144);
});

test('reading a body fails immediately if the client has already disconnected', async () => {
  const received = new IncomingMessage(new Socket());
  received.headers = { 'content-type': 'application/json', 'content-length': '9' };
  received.destroy();
  await once(received, 'close');
  await expect(readBodyBytes(received, 9, () => undefined)).rejects.toThrow(ClientGone);
});

const parsed = (text: string) => parseJsonBody(Buffer.from(text));

test('returns the source text of each top-level member', () => {
  const { memberText } = parsed('\uFEFF { "a" : [1, {"b":2}] ,"\\u0062": "x" , "a":\n 3e1, "é":"ü" }');
  expect(['a', 'b', 'é', 'c'].map(memberText)).toEqual(['3e1', '"x"', '"ü"', null]);
});

test.each([
  ['{\n "a": x}', 'unexpected "x" at line 2, column 7'],
  ['{"a":', 'unexpected end of the JSON text at line 1, column 6'],
  ['{"a":"b', 'unexpected end of the JSON text at line 1, column 8'],
  ['{"é":😀}', 'unexpected "😀" at line 1, column 6'],
  ['{"a":1.x}', 'unexpected "." at line 1, column 7'],
  ['{"a":-}', 'unexpected "-" at line 1, column 6'],
  ['{"é":"\\u0000"}', 'U+0000 or a lone surrogate at line 1, column 7'],
])('the error for %j names the line and column', (text, because) => {
  expect(() => parsed(text)).toThrow(`Invalid request body: ${because}`);
});

test('nesting above the limit is rejected, and the outermost value does not count', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels) + ']'.repeat(levels)}}`;
  expect(Object.keys(parsed(nested(100)).value)).toEqual(['a']);
  expect(() => parsed(nested(101))).toThrow('nested deeper than 100 levels at line 1, column 106');
});

test('a member that could reach a prototype is rejected with its path, at any depth', () => {
  const value = JSON.parse('{"a":[1,{"__proto__":{}}]}') as unknown;
  expect(() => refusePollutingMembers(value, 'authentication')).toThrow(
    /: authentication\.a\[1\]\.__proto__ is no member that can be taken$/,
  );
  expect(() => refusePollutingMembers({ prototype: 1, toString: { in: 'header' } }, 'authentication')).not.toThrow();
});

test('a long name is shortened in the reason', () => {
  const value = { ['x'.repeat(100_000)]: { constructor: 1 } };
  expect(() => refusePollutingMembers(value, 'authentication')).toThrow(
    /^Invalid request body: authentication\.x{485}…$/,
  );
});
