import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accepts, RawSocket } from '../test/raw-socket.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import type { FaultMode } from './faulty-connection.ts';

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 2 * 60_000, interval: 10 });
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
  await until(() => expect(socket.received).toBe('hello!'));
  return socket;
}

describe('A proxy that passes', () => {
  it('forwards bytes both ways, ends each direction separately, and counts the open connections', async () => {
    const [one, other] = [await openConnection(), await openConnection()];
    expect(proxy.connections).toBe(2);
    one.finish();
    expect(await one.closed).toBe('end');
    expect(one.received).toBe('hello!the end');
    other.send('bye');
    expect(await other.closed).toBe('end');
    expect(other.received).toBe('hello!bye!');
    await until(() => expect([proxy.connections, sockets.size]).toEqual([0, 0]));
  });

  it('forwards much more than fits into the socket buffers', async () => {
    const socket = await RawSocket.open(proxy.port);
    const much = 'x'.repeat(5_000_000);
    socket.send(much);
    await until(() => expect(serverInput.length).toBe(much.length));
    await until(() => expect(socket.received.length).toBeGreaterThan(much.length));
    socket.close();
  });

  it('ends a connection if its server is unavailable', async () => {
    const unreachable = await startFaultProxy({ host: '127.0.0.1', port: 1 });
    expect(await (await RawSocket.open(unreachable.port)).closed).toBe('end');
    await unreachable.close();
  });

  it('replaces the server in its address', () => {
    const through = new URL(proxy.through(`postgresql://me:p%40ss@db.example:${port}/name?x=1`));
    expect([through.host, through.pathname, through.search]).toEqual([`127.0.0.1:${proxy.port}`, '/name', '?x=1']);
    expect([through.username, through.password]).toEqual(['me', 'p%40ss']);
  });

  it('drops all connections on demand, and accepts new ones', async () => {
    const dropped = [await openConnection(), await openConnection()];
    proxy.dropAll();
    await Promise.all(dropped.map((socket) => socket.closed));
    await until(() => expect([proxy.connections, sockets.size]).toEqual([0, 0]));
    (await openConnection()).close();
  });
});

it('A proxy that is down ends open connections and refuses new ones; later it forwards on the same port', async () => {
  const open = await openConnection();
  await proxy.set('down');
  await open.closed;
  expect(await accepts(proxy.port)).toBe(false);
  await until(() => expect(sockets.size).toBe(0));
  await proxy.set('pass');
  (await openConnection()).close();
});

it('A proxy that hangs keeps connections open, accepts new ones, and forwards nothing until it passes', async () => {
  const open = await openConnection();
  await proxy.set('hang');
  const newSocket = await RawSocket.open(proxy.port);
  await until(() => expect(proxy.connections).toBe(2));
  open.send(' open');
  newSocket.send(' dialled');
  for (const socket of sockets) socket.write(' by the way');
  await pause();
  expect([serverInput, open.received, newSocket.received, proxy.connections]).toEqual(['hello', 'hello!', '', 2]);
  await proxy.set('pass');
  await until(() => expect([open.received, newSocket.received]).toEqual(['hello! by the way open!', ' dialled!']));
  open.close();
  newSocket.close();
});

it('A proxy that resets resets open connections and new ones', async () => {
  const open = await openConnection();
  await proxy.set('reset');
  expect(await open.closed).toBe('reset');
  const newSocket = RawSocket.dial(proxy.port);
  newSocket.send('hello?');
  expect(await newSocket.closed).toBe('reset');
  expect(serverInput).toBe('hello');
});

it('A proxy that sends garbage sends it on open and new connections, and ends them when the mode changes', async () => {
  const open = await openConnection();
  await proxy.set('garbage');
  const newSocket = await RawSocket.open(proxy.port);
  await until(() => expect([open.received.length, newSocket.received.length]).toEqual([6 + 64, 64]));
  expect([open.received[6], newSocket.received[0]]).toEqual(['\xff', '\xff']);
  newSocket.send('hello?');
  await until(() => expect(newSocket.received.length).toBe(128));
  expect(newSocket.received.slice(1, 64)).not.toBe(newSocket.received.slice(65));
  for (const socket of sockets) socket.write('a response');
  await until(() => expect(open.received.length).toBe(6 + 128));
  expect(open.received).not.toContain('a response');
  expect(serverInput).toBe('hello');
  await proxy.set('pass');
  await Promise.all([open.closed, newSocket.closed]);
  (await openConnection()).close();
});

it('A proxy with latency delays responses and keeps their order, even when the mode changes', async () => {
  const open = await openConnection();
  await proxy.set({ latencyMs: 300 });
  const since = performance.now();
  open.send('1');
  await until(() => expect(serverInput).toBe('hello1'));
  expect(open.received).toBe('hello!');
  open.send('2');
  await proxy.set('pass');
  open.send('3');
  await until(() => expect(open.received).toMatch(/^hello!1!2!?3!$/));
  expect(performance.now() - since).toBeGreaterThan(290);
  open.close();
});

it.each<FaultMode>(['pass', 'hang', 'garbage', { latencyMs: 10 }])(
  'A proxy that is closed while its mode is %j ends its connections and stops listening',
  async (mode) => {
    const open = await openConnection();
    await proxy.set(mode);
    const newSocket = await RawSocket.open(proxy.port);
    await proxy.close();
    await Promise.all([open.closed, newSocket.closed]);
    expect(await accepts(proxy.port)).toBe(false);
    await until(() => expect(sockets.size).toBe(0));
  },
);
