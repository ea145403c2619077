import { isPorticoError } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { respondWith, startUpstream, type Respond } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, unreachable } from '../test/open-egress.ts';

const ok: Respond = (socket) => socket.write(respondWith('ok'));

/** Returns a server that responds to all requests when `finish` is called. */
const startWaiting = async () => {
  const finishers: (() => void)[] = [];
  const upstream = await startUpstream((socket) => finishers.push(() => socket.write(respondWith('ok'))));
  return { upstream, finish: () => finishers.splice(0).forEach((finisher) => finisher()) };
};

describe('exchanges in flight', () => {
  test('a caller has at most 4, and the next one is rejected at once', async () => {
    const { upstream, finish } = await startWaiting();
    const egress = openEgress();
    const exchanges = Array.from({ length: 4 }, () => outcomeOf(sendTo(egress, upstream.origin)));
    const [rejection] = await Promise.allSettled([sendTo(egress, upstream.origin)]);
    const error: unknown = rejection.status === 'rejected' ? rejection.reason : null;
    expect(isPorticoError(error, 'rate_limited') && [error.message, error.retryAfterSeconds]).toEqual([
      'Rate limit exceeded: 4 calls of this caller are in flight',
      1,
    ]);
    await expect.poll(() => upstream.requests.length).toBe(4);
    finish();
    expect(await Promise.all(exchanges)).toEqual(['200 ok', '200 ok', '200 ok', '200 ok']);
    expect(upstream.requests.length).toBe(4);
  });

  test('an origin has at most 16, and other origins are not affected', async () => {
    const [first, second] = [await startWaiting(), await startWaiting()];
    const egress = openEgress();
    const send = (origin: string, caller: string) => outcomeOf(sendTo(egress, origin, {}, { caller }));
    const exchanges = Array.from({ length: 16 }, (_, index) => send(first.upstream.origin, `caller ${index}`));
    const next = await send(first.upstream.origin, 'caller 16');
    expect(next).toBe('Rate limit exceeded: 16 calls to this API are in flight');
    const other = send(second.upstream.origin, 'caller 16');
    await expect.poll(() => [first.upstream.requests.length, second.upstream.requests.length]).toEqual([16, 1]);
    first.finish();
    second.finish();
    expect(new Set(await Promise.all([...exchanges, other]))).toEqual(new Set(['200 ok']));
  });

  test.each<readonly [string, Respond]>([
    ['responses', ok],
    ['errors', (socket) => socket.destroy()],
    ['bodies that are too long', (socket) => socket.write(respondWith('x'.repeat(100)))],
  ])('%s end an exchange', async (_title, respond) => {
    const upstream = await startUpstream(respond);
    const egress = openEgress({ limits: { inFlightPerCallerMax: 1, inFlightPerOriginMax: 1 } });
    for (let count = 1; count <= 5; count += 1) {
      await outcomeOf(sendTo(egress, upstream.origin, {}, { bodyBytesMax: 10 }));
      expect(upstream.requests.length).toBe(count);
    }
  });

  test('a request that is not valid does not count', async () => {
    const upstream = await startUpstream(ok);
    const egress = openEgress({ limits: { inFlightPerCallerMax: 1 } });
    await outcomeOf(sendTo(egress, upstream.origin, { method: 'TRACE' }));
    await outcomeOf(sendTo(egress, 'http://127.0.0.2/'));
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe('200 ok');
  });
});

describe('a connection', () => {
  test('is used again', async () => {
    const upstream = await startUpstream(ok);
    const egress = openEgress();
    for (let count = 0; count < 10; count += 1) await sendTo(egress, upstream.origin);
    expect([upstream.accepted, egress.connections]).toEqual([1, 1]);
  });

  test.each([
    ['that the server closes', ['Connection: close'], 'GET', null],
    ['that the server closes immediately', ['Keep-Alive: timeout=1'], 'GET', null],
    ['of HEAD', [], 'HEAD', null],
    ['of GET with a body', [], 'GET', 'body'],
    ['of DELETE with a body', [], 'DELETE', 'body'],
  ])('%s is not used again', async (_title, headers, method, body) => {
    const upstream = await startUpstream((socket) =>
      socket.write(respondWith(method === 'HEAD' ? '' : 'ok', ['Connection: keep-alive', ...headers])),
    );
    const egress = openEgress();
    const request = { method, body: body === null ? null : Buffer.from(body) };
    for (let count = 0; count < 2; count += 1) await sendTo(egress, upstream.origin, request);
    expect(upstream.accepted).toBe(2);
    await expect.poll(() => [egress.connections, upstream.open]).toEqual([0, 0]);
  });

  test('is closed soon after its last exchange', async () => {
    const upstream = await startUpstream((socket) =>
      socket.write(respondWith('ok', ['Connection: keep-alive', 'Keep-Alive: timeout=3600'])),
    );
    const egress = openEgress({ limits: { idleMs: 50 } });
    await sendTo(egress, upstream.origin);
    await expect.poll(() => [egress.connections, upstream.open]).toEqual([0, 0]);
  });

  test('that the server closed while it was idle is replaced', async () => {
    const upstream = await startUpstream((socket) => socket.end(respondWith('ok')));
    const egress = openEgress();
    for (let count = 0; count < 5; count += 1) {
      expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe('200 ok');
      await expect.poll(() => egress.connections).toBe(0);
    }
  });

  test('belongs to one origin', async () => {
    const [first, second] = [await startUpstream(ok), await startUpstream(ok)];
    const egress = openEgress({ lookup: async () => ['127.0.0.1'] });
    for (const url of [
      first.origin,
      second.origin,
      `http://a.example:${first.port}`,
      `http://b.example:${first.port}`,
    ]) {
      expect(await outcomeOf(sendTo(egress, url))).toBe('200 ok');
    }
    expect([first.accepted, second.accepted, egress.connections]).toEqual([3, 1, 4]);
  });
});

test('many origins leave no connection behind', async () => {
  const upstream = await startUpstream(ok);
  const egress = openEgress({ lookup: async () => ['127.0.0.1'], limits: { idleConnectionsMax: 8 } });
  for (let index = 0; index < 200; index += 1) await sendTo(egress, `http://name-${index}.example:${upstream.port}/`);
  expect(egress.connections).toBe(8);
  await expect.poll(() => upstream.open).toBe(8);
  await egress.close();
  await expect.poll(() => upstream.open).toBe(0);
});

describe('after close', () => {
  test('no connection is open, and nothing holds the process', async () => {
    const upstream = await startUpstream(ok);
    const egress = openEgress();
    const countResources = (): number =>
      process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS|Timeout|GetAddrInfo|Zlib)/.test(name)).length;
    const resourcesBefore = countResources();
    await Promise.all(['a', 'b', 'c'].map((caller) => sendTo(egress, upstream.origin, {}, { caller })));
    await outcomeOf(sendTo(egress, upstream.origin, {}, { bodyBytesMax: 1 }));
    await egress.close();
    expect(egress.connections).toBe(0);
    await expect.poll(() => upstream.open).toBe(0);
    // Those of earlier tests may also have disappeared.
    await expect.poll(countResources).toBeLessThanOrEqual(resourcesBefore);
  });

  test('exchanges in flight fail, and so does each later one', async () => {
    const { upstream } = await startWaiting();
    const egress = openEgress();
    const exchange = outcomeOf(sendTo(egress, upstream.origin));
    await expect.poll(() => upstream.requests.length).toBe(1);
    await egress.close();
    expect((await exchange).startsWith(unreachable)).toBe(true);
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe(`${unreachable}this process is stopping`);
    await egress.close();
  });
});

test('the global fetch keeps its dispatcher', () => {
  const dispatcher = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.2')) as unknown;
  expect(dispatcher).toBeUndefined();
});
