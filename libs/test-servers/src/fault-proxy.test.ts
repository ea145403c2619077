import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAccepting, RawSocket } from '../test/raw-socket.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import type { FaultMode } from './faulty-connection.ts';

const waitUntil = (check: () => unknown) => vi.waitFor(check, { timeout: 2 * 60_000, interval: 10 });
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));

/** The input received by a server that replies to each message with "<message>!" and closes its side after "bye". */
let serverInput = '';
const sockets = new Set<Socket>();
const server = createServer({ allowHalfOpen: true }, (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    serverInput += bytes.toString();
    if (bytes.toString() === 'bye') socket.end('bye!');
    else socket.write(`${bytes.toString()}!`);
  });
  socket.on('end', () => socket.end('the end'));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as { port: number };

let proxy: FaultProxy;
beforeEach(async () => {
  serverInput = '';
  proxy = await startFaultProxy({ host: '127.0.0.1', port });
});
afterEach(() => proxy.close());
afterAll(() => server.close());

/** Opens a connection and waits until it has reached the server. */
async function openConnection(): Promise<RawSocket> {
  const socket = await RawSocket.open(proxy.port);
  socket.send('hello');
  await waitUntil(() => expect(socket.receivedText).toBe('hello!'));
  return socket;
}

describe('A proxy that passes', () => {
  it('forwards bytes both ways, closes each direction separately, and counts the open connections', async () => {
    const [socket, otherSocket] = [await openConnection(), await openConnection()];
    expect(proxy.connections).toBe(2);
    socket.finish();
    expect(await socket.closed).toBe('end');
    expect(socket.receivedText).toBe('hello!the end');
    otherSocket.send('bye');
    expect(await otherSocket.closed).toBe('end');
    expect(otherSocket.receivedText).toBe('hello!bye!');
    await waitUntil(() => expect([proxy.connections, sockets.size]).toEqual([0, 0]));
  });

  it('forwards much more than fits into the socket buffers', async () => {
    const socket = await RawSocket.open(proxy.port);
    const longText = 'x'.repeat(5_000_000);
    socket.send(longText);
    await waitUntil(() => expect(serverInput.length).toBe(longText.length));
    await waitUntil(() => expect(socket.receivedText.length).toBeGreaterThan(longText.length));
    socket.close();
  });

  it('closes a connection if its server is unavailable', async () => {
    const unreachableProxy = await startFaultProxy({ host: '127.0.0.1', port: 1 });
    expect(await (await RawSocket.open(unreachableProxy.port)).closed).toBe('end');
    await unreachableProxy.close();
  });

  it('replaces the host and port of a server URL', () => {
    const address = new URL(proxy.rewriteUrl(`postgresql://me:p%40ss@db.example:${port}/name?x=1`));
    expect([address.host, address.pathname, address.search]).toEqual([`127.0.0.1:${proxy.port}`, '/name', '?x=1']);
    expect([address.username, address.password]).toEqual(['me', 'p%40ss']);
  });

  it('drops all connections on demand, and accepts new ones', async () => {
    const droppedSockets = [await openConnection(), await openConnection()];
    proxy.dropAll();
    await Promise.all(droppedSockets.map((socket) => socket.closed));
    await waitUntil(() => expect([proxy.connections, sockets.size]).toEqual([0, 0]));
    (await openConnection()).close();
  });
});

it('A proxy that is down closes open connections and refuses new ones; later it forwards on the same port', async () => {
  const openSocket = await openConnection();
  await proxy.set('down');
  await openSocket.closed;
  expect(await isAccepting(proxy.port)).toBe(false);
  await waitUntil(() => expect(sockets.size).toBe(0));
  await proxy.set('pass');
  (await openConnection()).close();
});

it('A proxy that hangs keeps connections open, accepts new ones, and forwards nothing until it passes', async () => {
  const openSocket = await openConnection();
  await proxy.set('hang');
  const newSocket = await RawSocket.open(proxy.port);
  await waitUntil(() => expect(proxy.connections).toBe(2));
  openSocket.send(' open');
  newSocket.send(' dialled');
  for (const socket of sockets) socket.write(' by the way');
  await pause();
  expect([serverInput, openSocket.receivedText, newSocket.receivedText, proxy.connections]).toEqual([
    'hello',
    'hello!',
    '',
    2,
  ]);
  await proxy.set('pass');
  await waitUntil(() =>
    expect([openSocket.receivedText, newSocket.receivedText]).toEqual(['hello! by the way open!', ' dialled!']),
  );
  openSocket.close();
  newSocket.close();
});

it('A proxy in the mode reset resets open and new connections', async () => {
  const openSocket = await openConnection();
  await proxy.set('reset');
  expect(await openSocket.closed).toBe('reset');
  const newSocket = RawSocket.dial(proxy.port);
  newSocket.send('hello?');
  expect(await newSocket.closed).toBe('reset');
  expect(serverInput).toBe('hello');
});

it('A proxy that sends garbage sends it on open and new connections, and closes them when the mode changes', async () => {
  const openSocket = await openConnection();
  await proxy.set('garbage');
  const newSocket = await RawSocket.open(proxy.port);
  await waitUntil(() => expect([openSocket.receivedText.length, newSocket.receivedText.length]).toEqual([6 + 64, 64]));
  expect([openSocket.receivedText[6], newSocket.receivedText[0]]).toEqual(['\xff', '\xff']);
  newSocket.send('hello?');
  await waitUntil(() => expect(newSocket.receivedText.length).toBe(128));
  expect(newSocket.receivedText.slice(1, 64)).not.toBe(newSocket.receivedText.slice(65));
  for (const socket of sockets) socket.write('a response');
  await waitUntil(() => expect(openSocket.receivedText.length).toBe(6 + 128));
  expect(openSocket.receivedText).not.toContain('a response');
  expect(serverInput).toBe('hello');
  await proxy.set('pass');
  await Promise.all([openSocket.closed, newSocket.closed]);
  (await openConnection()).close();
});

it('A proxy with latency delays responses and keeps their order, even when the mode changes', async () => {
  const openSocket = await openConnection();
  await proxy.set({ latencyMs: 300 });
  const startTime = performance.now();
  openSocket.send('1');
  await waitUntil(() => expect(serverInput).toBe('hello1'));
  expect(openSocket.receivedText).toBe('hello!');
  openSocket.send('2');
  await proxy.set('pass');
  openSocket.send('3');
  await waitUntil(() => expect(openSocket.receivedText).toMatch(/^hello!1!2!?3!$/));
  expect(performance.now() - startTime).toBeGreaterThan(290);
  openSocket.close();
});

it.each<FaultMode>(['pass', 'hang', 'garbage', { latencyMs: 10 }])(
  'A proxy that is closed while its mode is %j closes its connections and stops listening',
  async (mode) => {
    const openSocket = await openConnection();
    await proxy.set(mode);
    const newSocket = await RawSocket.open(proxy.port);
    await proxy.close();
    await Promise.all([openSocket.closed, newSocket.closed]);
    expect(await isAccepting(proxy.port)).toBe(false);
    await waitUntil(() => expect(sockets.size).toBe(0));
  },
);
