import { once } from 'node:events';
import { Agent, request, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PorticoError, type Ports } from '@portico/domain';
import { createHarness } from '@portico/testing';
import { pino } from 'pino';
import { stopTime } from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHttpApp } from './http-app.ts';
import { createHttpServer } from './http-server.ts';

const settings = {
  serviceName: 'portico',
  version: '0.0.0',
  bodyLimitBytes: 1_000,
  specBodyLimitBytes: 1_000,
  trustProxy: null,
  publicUrl: null,
  accessTokens: null,
  host: '127.0.0.1',
  signInWays: [],
  calls: 'off',
} as const;

const startServer = async (ports: Partial<Pick<Ports, 'tokens'>> = {}) => {
  let release = (): void => undefined;
  const pendingCheck = new Promise<void>((resolve) => (release = resolve));
  let onCheck = (): void => undefined;
  const checkStarted = new Promise<void>((resolve) => (onCheck = resolve));
  const check = (): Promise<void> => {
    onCheck();
    return pendingCheck;
  };
  const harness = createHarness();
  const probes = [{ name: 'slow', essential: true, check }];
  const app = createHttpApp({
    useCases: createHarness({}, { ...harness.ports, probes, ...ports }).useCases,
    documents: harness.documents,
    settings,
    logger: pino({ level: 'silent' }),
  });
  const server = createHttpServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const get = (path: string) =>
    new Promise<{ status: number | undefined; connection: string | undefined; text: string }>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, agent }, (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, connection: incoming.headers.connection, text }),
        );
        incoming.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  return { server, port, get, checkStarted, release, agent };
};

test('all concurrent requests are read before the first is authorized, and authorized before the first response is sent', async () => {
  const events: string[] = [];
  const verify = async (): Promise<never> => {
    const isLater = events.includes('authorized');
    for (let step = 0; isLater && step < 99; step++) await Promise.resolve();
    events.push('authorized');
    throw new PorticoError('invalid_token');
  };
  const { server, port, agent } = await startServer({ tokens: { verify, readUserInfo: verify } });
  server.prependListener('request', (_request, response) => {
    events.push('read');
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
    response.writeHead = (...args: unknown[]) => {
      events.push('answered');
      return writeHead(...args);
    };
  });
  let accepted = 0;
  server.on('connection', () => accepted++);
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await expect.poll(() => accepted).toBe(2);
  const responses = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets)
    socket.write('GET /api/collections/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n');
  for (const [bytes] of await Promise.all(responses)) expect(String(bytes)).toMatch(/^HTTP\/1\.1 401 /);
  expect(events).toEqual(['read', 'read', 'authorized', 'authorized', 'answered', 'answered']);
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  await server.drain({ noticeMs: 0 });
});

test('a draining server reports that it is draining, finishes the requests in flight, and accepts no new ones', async () => {
  const time = stopTime(vi);
  onTestFinished(time.restore);
  const { server, get, checkStarted, release, agent } = await startServer();
  expect((await get('/health')).connection).toBe('keep-alive');
  const pendingReply = get('/ready');
  await checkStarted;
  const drained = server.drain({ noticeMs: 2_000, timeoutMs: 20_000 });
  const healthReply = await get('/health');
  expect([healthReply.status, healthReply.connection]).toEqual([200, 'close']);
  await time.advance(2_000);
  await expect.poll(() => server.listening).toBe(false);
  release();
  const lastReply = await pendingReply;
  expect([lastReply.status, lastReply.connection, JSON.parse(lastReply.text)]).toMatchObject([
    503,
    'close',
    { status: 'draining' },
  ]);
  await drained;
  await expect(get('/health')).rejects.toThrow('ECONNREFUSED');
  agent.destroy();
});

test('a request that does not end by the deadline is cut off', async () => {
  const { server, get, checkStarted, agent } = await startServer();
  const pendingReply = get('/ready');
  const failure = expect(pendingReply).rejects.toThrow();
  await checkStarted;
  await server.drain({ noticeMs: 0, timeoutMs: 50 });
  await failure;
  agent.destroy();
});

test('the time and size of a request are limited', async () => {
  const { server, agent } = await startServer();
  expect(server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    timeout: 30_000,
    maxHeadersCount: 64,
    maxConnections: 10_000,
  });
  agent.destroy();
  await server.drain({ noticeMs: 0 });
});
