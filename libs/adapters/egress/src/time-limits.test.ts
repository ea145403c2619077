import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { respondWith, startUpstream, type Respond } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, timedOut } from '../test/open-egress.ts';

const lateConnection = `${timedOut}it did not accept the connection in time: check the network, and that it runs`;
const lateHeaders = `${timedOut}it accepted the connection, but did not begin to respond in time`;
const lateBody = `${timedOut}the response was not complete in time: a longer timeout may help`;

/** Writes a piece again and again. */
const drip =
  (start: string, piece: string): Respond =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 5);
    socket.on('close', () => clearInterval(timer));
  };

describe('a response that does not begin', () => {
  test.each<readonly [string, Respond]>([
    ['silence', () => {}],
    ['half of a status line', (socket) => socket.write('HTTP/1.1 2')],
    ['a slow status line', drip('HTTP/1.1 200 ', 'O')],
    ['slow headers', drip('HTTP/1.1 200 OK\r\n', 'X: y\r\n')],
    ['slow interim responses', drip('', 'HTTP/1.1 103 Hints\r\n\r\n')],
  ])('%s', async (_title, respond) => {
    const upstream = await startUpstream(respond);
    const egress = openEgress({ limits: { firstByteMs: 100, interimResponsesMax: 1_000_000 } });
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe(lateHeaders);
    await expect.poll(() => upstream.open).toBe(0);
    expect(egress.connections).toBe(0);
  });
});

describe('a response that does not end', () => {
  test.each<readonly [string, Respond]>([
    ['silence after the headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n')],
    ['a slow body', drip('HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n', 'a')],
    ['slow chunks', drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n')],
    ['slow trailers', drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X: y\r\n')],
    ['slow gzip', drip('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f', '')],
  ])('%s', async (_title, respond) => {
    const upstream = await startUpstream(respond);
    const egress = openEgress();
    expect(await outcomeOf(sendTo(egress, upstream.origin, {}, { timeoutMs: 150 }))).toBe(lateBody);
    await expect.poll(() => upstream.open).toBe(0);
    expect(egress.connections).toBe(0);
  });
});

describe('a connection that is not established', () => {
  test('a name that is not resolved', async () => {
    const egress = openEgress({ limits: { connectMs: 50 }, lookup: () => new Promise(() => {}) });
    expect(await outcomeOf(sendTo(egress, 'https://slow.example/'))).toBe(lateConnection);
    expect(egress.connections).toBe(0);
  });

  test('a TLS handshake without a response', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const egress = openEgress({ limits: { connectMs: 50 } });
    expect(await outcomeOf(sendTo(egress, `https://127.0.0.1:${port}/`))).toBe(lateConnection);
  });

  test('the timeout of the whole exchange includes it', async () => {
    const egress = openEgress({ lookup: () => new Promise(() => {}) });
    expect(await outcomeOf(sendTo(egress, 'https://slow.example/', {}, { timeoutMs: 50 }))).toBe(lateBody);
    expect(egress.connections).toBe(0);
  });

  test('further look-ups wait for their turn, and never start if their time is up before', async () => {
    const finishers: ((addresses: readonly string[]) => void)[] = [];
    const names: string[] = [];
    const lookup = (name: string): Promise<readonly string[]> => {
      names.push(name);
      return new Promise((resolve) => finishers.push(resolve));
    };
    const egress = openEgress({ lookup, limits: { connectMs: 100 } });
    const outcomes = ['a', 'b', 'c'].map((name) => outcomeOf(sendTo(egress, `https://${name}.example/`)));
    expect(await Promise.all(outcomes)).toEqual([lateConnection, lateConnection, lateConnection]);
    expect(names).toEqual(['a.example', 'b.example']);
    const next = outcomeOf(sendTo(egress, 'https://d.example/'));
    finishers[0]?.(['10.0.0.1']);
    await expect.poll(() => names).toEqual(['a.example', 'b.example', 'd.example']);
    finishers[2]?.(['10.0.0.1']);
    expect(await next).toContain('private or reserved network');
  });
});

test('a server that responds within the limits is not affected', async () => {
  const upstream = await startUpstream((socket) => setTimeout(() => socket.write(respondWith('ok')), 20));
  expect(await outcomeOf(sendTo(openEgress(), upstream.origin))).toBe('200 ok');
});
