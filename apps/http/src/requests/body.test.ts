import { once } from 'node:events';
import { createServer, IncomingMessage, request } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ClientDisconnected, parseJsonBody, readBodyBytes, rejectPollutingMembers } from './body.ts';

/** Sends a body in these parts, with or without a declared length, and returns the bytes that the server reads. */
const sendAndRead = async (parts: readonly Buffer[], isDeclared: boolean): Promise<Uint8Array> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const length = isDeclared ? { 'content-length': Buffer.concat(parts).length } : {};
    const headers = { 'content-type': 'application/json', ...length };
    const client = request({ port, method: 'POST', headers });
    client.on('error', () => undefined);
    for (const part of parts) client.write(part);
    client.end();
    const [incoming] = (await once(server, 'request')) as Parameters<typeof readBodyBytes>;
    return await readBodyBytes(incoming, 1_000_000, () => undefined);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

test('a BOM at the start of a body is removed, and a BOM within it is kept', () => {
  expect(parseJsonBody(Buffer.from('\uFEFF{"a":"\uFEFFé"}')).readMemberText('a')).toBe('"\uFEFFé"');
  expect(parseJsonBody(Buffer.from('{"a":"b","c":1}')).readMemberText('c')).toBe('1');
});

test('a body of any length is read completely, with and without a declared length', async () => {
  for (const length of [1, 1_000, 131_071, 131_072, 900_000]) {
    const body = Buffer.from(Array.from({ length }, (_, i) => i % 251));
    const parts = [body.subarray(0, length / 3), body.subarray(length / 3)];
    for (const isDeclared of [true, false]) {
      expect(body.equals(await sendAndRead(parts, isDeclared)), `${length} bytes`).toBe(true);
    }
  }
});

test.each([
  ['with the head', 0],
  ['one tick after the head', 5],
])('after a body that arrives %s, the connection accepts the next request', async (_when, pauseMs) => {
  const bodies: string[] = [];
  const server = createServer((incoming, response) => {
    // By this time, a body that arrived with the head is available.
    setImmediate(() => {
      void readBodyBytes(incoming, 100, () => undefined).then((bytes) => {
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
const watchTicks = (incoming: IncomingMessage) => {
  const counts = { maxPerTick: 0, total: 0 };
  let bytesInTick = 0;
  incoming.on('data', ({ length }: Buffer) => {
    if (bytesInTick === 0) setImmediate(() => (bytesInTick = 0));
    bytesInTick += length;
    counts.maxPerTick = Math.max(counts.maxPerTick, bytesInTick);
    counts.total += length;
  });
  return counts;
};

test.each([
  ['accepted with a declared length', 4_194_304, { 'content-length': '4194304' }],
  ['accepted without a declared length', 4_194_304, { 'transfer-encoding': 'chunked' }],
  ['rejected by its declared length', 1_000_000, { 'content-length': '4194304' }],
  ['rejected by its actual length', 1_000_000, { 'transfer-encoding': 'chunked' }],
])('reading a long body yields to the event loop if it is %s', async (_case, limitBytes, length) => {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = { 'content-type': 'application/json', ...length };
  // All of it is available immediately.
  for (let chunk = 0; chunk < 64; chunk += 1) incoming.push(Buffer.alloc(65_536, ' '));
  incoming.push(null);
  const read = readBodyBytes(incoming, limitBytes, () => undefined);
  const counts = watchTicks(incoming);
  if (limitBytes < 4_194_304) await expect(read).rejects.toThrow('at most 1000000 bytes are accepted');
  else expect((await read).length).toBe(4_194_304);
  while (counts.total < 4_194_304) await new Promise(setImmediate);
  expect(counts.maxPerTick).toBe(262_144);
});

test('reading a body fails immediately if the client has already disconnected', async () => {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = { 'content-type': 'application/json', 'content-length': '9' };
  incoming.destroy();
  await once(incoming, 'close');
  await expect(readBodyBytes(incoming, 9, () => undefined)).rejects.toThrow(ClientDisconnected);
});

const parse = (text: string) => parseJsonBody(Buffer.from(text));

test('returns the source text of each top-level member', () => {
  const { readMemberText } = parse('\uFEFF { "a" : [1, {"b":2}] ,"\\u0062": "x" , "a":\n 3e1, "é":"ü" }');
  expect(['a', 'b', 'é', 'c'].map(readMemberText)).toEqual(['3e1', '"x"', '"ü"', null]);
});

test.each([
  ['{\n "a": x}', 'unexpected "x" at line 2, column 7'],
  ['{"a":', 'unexpected end of the JSON text at line 1, column 6'],
  ['{"a":"b', 'unexpected end of the JSON text at line 1, column 8'],
  ['{"é":😀}', 'unexpected "😀" at line 1, column 6'],
  ['{"a":1.x}', 'unexpected "." at line 1, column 7'],
  ['{"a":-}', 'unexpected "-" at line 1, column 6'],
  ['{"é":"\\u0000"}', 'U+0000 or a lone surrogate at line 1, column 7'],
])('the error for %j names the line and column', (text, reason) => {
  expect(() => parse(text)).toThrow(`Invalid request body: ${reason}`);
});

test('nesting above the limit is rejected; the outermost value does not count as a level', () => {
  const nest = (levels: number) => `{"a":${'['.repeat(levels) + ']'.repeat(levels)}}`;
  expect(Object.keys(parse(nest(100)).value)).toEqual(['a']);
  expect(() => parse(nest(101))).toThrow('nested deeper than 100 levels at line 1, column 106');
});

test('a member name that could reach a prototype is rejected with its path, at any depth', () => {
  const value = JSON.parse('{"a":[1,{"__proto__":{}}]}') as unknown;
  expect(() => rejectPollutingMembers(value, 'authentication')).toThrow(
    /: authentication\.a\[1\]\.__proto__ is not allowed$/,
  );
  expect(() => rejectPollutingMembers({ prototype: 1, toString: { in: 'header' } }, 'authentication')).not.toThrow();
});

test('a long name is truncated in the reason', () => {
  const value = { ['x'.repeat(100_000)]: { constructor: 1 } };
  expect(() => rejectPollutingMembers(value, 'authentication')).toThrow(
    /^Invalid request body: authentication\.x{485}…$/,
  );
});
