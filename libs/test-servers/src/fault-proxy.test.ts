import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accepts, RawSocket } from '../test/raw-socket.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import type { FaultMode } from './faulty-connection.ts';

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 2 * 60_000, interval: 10 });
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 200));

/** A server that answers each message with "<message>!", ends its side when told "bye", and records what it received. */
let heard = '';
const sockets = new Set<Socket>();
const server = createServer({ allowHalfOpen: true }, (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString();
    if (bytes.toString() === 'bye') socket.end('bye!');
    else socket.write(`${bytes.toString()}!`);
  });
  socket.on('end', () => socket.end('the end'));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as { port: number };

let proxy: FaultProxy;
beforeEach(async () => {
  heard = '';
  proxy = await startFaultProxy({ host: '127.0.0.1', port });
});
afterEach(() => proxy.close());
afterAll(() => server.close());

/** A connection that has reached the server. */
async function opened(): Promise<RawSocket> {
  const socket = await RawSocket.open(proxy.port);
  socket.send('hello');
  await until(() => expect(socket.received).toBe('hello!'));
  return socket;
}

describe('A proxy that passes', () => {
  it('carries bytes both ways, ends each direction separately, and counts the open connections', async () => {
    const [one, other] = [await opened(), await opened()];
    expect(proxy.connections).toBe(2);
    one.finish();
    expect(await one.ended).toBe('end');
    expect(one.received).toBe('hello!the end');
    other.send('bye');
    expect(await other.ended).toBe('end');
    expect(other.received).toBe('hello!bye!');
    await until(() => expect([proxy.connections, sockets.size]).toEqual([0, 0]));
  });

  it('carries much more than fits into the socket buffers', async () => {
    const socket = await RawSocket.open(proxy.port);
    const much = 'x'.repeat(5_000_000);
    socket.send(much);
    await until(() => expect(heard.length).toBe(much.length));
    await until(() => expect(socket.received.length).toBeGreaterThan(much.length));
    socket.close();
  });

  it('ends a connection if its server is away', async () => {
    const nobody = await startFaultProxy({ host: '127.0.0.1', port: 1 });
    expect(await (await RawSocket.open(nobody.port)).ended).toBe('end');
    await nobody.close();
  });

  it('replaces the server in its address', () => {
    const through = new URL(proxy.through(`postgresql://me:p%40ss@db.example:${port}/name?x=1`));
    expect([through.host, through.pathname, through.search]).toEqual([`127.0.0.1:${proxy.port}`, '/name', '?x=1']);
    expect([through.username, through.password]).toEqual(['me', 'p%40ss']);
  });

  it('drops all connections on demand, and accepts new ones', async () => {
    const dropped = [await opened(), await opened()];
    proxy.dropAll();
    await Promise.all(dropped.map((socket) => socket.ended));
    await until(() => expect([proxy.connections, sockets.size]).toEqual([0, 0]));
    (await opened()).close();
  });
});

it('A proxy that is down ends open connections and refuses new ones; later it passes on the same port', async () => {
  const open = await opened();
  await proxy.set('down');
  await open.ended;
  expect(await accepts(proxy.port)).toBe(false);
  await until(() => expect(sockets.size).toBe(0));
  await proxy.set('pass');
  (await opened()).close();
});

it('A proxy that hangs keeps connections open, accepts new ones, and carries nothing until it passes again', async () => {
  const open = await opened();
  await proxy.set('hang');
  const dialled = await RawSocket.open(proxy.port);
  await until(() => expect(proxy.connections).toBe(2));
  open.send(' open');
  dialled.send(' dialled');
  for (const socket of sockets) socket.write(' by the way');
  await aWhile();
  expect([heard, open.received, dialled.received, proxy.connections]).toEqual(['hello', 'hello!', '', 2]);
  await proxy.set('pass');
  await until(() => expect([open.received, dialled.received]).toEqual(['hello! by the way open!', ' dialled!']));
  open.close();
  dialled.close();
});

it('A proxy that resets resets open connections and new ones', async () => {
  const open = await opened();
  await proxy.set('reset');
  expect(await open.ended).toBe('reset');
  const dialled = RawSocket.dial(proxy.port);
  dialled.send('anybody?');
  expect(await dialled.ended).toBe('reset');
  expect(heard).toBe('hello');
});

it('A proxy that answers garbage sends it on open connections and new ones, and ends them with the mode', async () => {
  const open = await opened();
  await proxy.set('garbage');
  const dialled = await RawSocket.open(proxy.port);
  await until(() => expect([open.received.length, dialled.received.length]).toEqual([6 + 64, 64]));
  expect([open.received[6], dialled.received[0]]).toEqual(['\xff', '\xff']);
  dialled.send('what?');
  await until(() => expect(dialled.received.length).toBe(128));
  expect(dialled.received.slice(1, 64)).not.toBe(dialled.received.slice(65));
  for (const socket of sockets) socket.write('an answer');
  await until(() => expect(open.received.length).toBe(6 + 128));
  expect(open.received).not.toContain('an answer');
  expect(heard).toBe('hello');
  await proxy.set('pass');
  await Promise.all([open.ended, dialled.ended]);
  (await opened()).close();
});

it('A proxy with latency delays the answers and keeps their order, even when the mode changes', async () => {
  const open = await opened();
  await proxy.set({ latencyMs: 300 });
  const since = performance.now();
  open.send('1');
  await until(() => expect(heard).toBe('hello1'));
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
    const open = await opened();
    await proxy.set(mode);
    const dialled = await RawSocket.open(proxy.port);
    await proxy.close();
    await Promise.all([open.ended, dialled.ended]);
    expect(await accepts(proxy.port)).toBe(false);
    await until(() => expect(sockets.size).toBe(0));
  },
);
