import { createServer, type AddressInfo } from 'node:net';
import { recordLog } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { Redis } from 'ioredis';
import { startFaultProxy, startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openObservedConnection, useStoppedTime, type ObservedConnection } from '../test/observed-connection.ts';
import { backOffMinMs, computeBackOffMs, commandTimeoutMs, openRedis, RedisUnavailable } from './redis-connection.ts';
import { limitKeys } from './redis-rate-limiter.ts';

const rule: LimitRule = { allowed: 1000, windowSeconds: 3600 };

const server = await startRedis();
const proxy = server && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) }));
const url = server && proxy ? proxy.rewriteUrl(server.url) : '';
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});
// The next test always starts with a running server.
afterEach(async () => {
  await server?.control?.stop('immediate');
  await server?.control?.start();
  await proxy?.set('pass');
});

const stringMatching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const outageMessage = stringMatching(/^Redis at 127\.0\.0\.1:\d+ is unavailable: ./);
const recoveryMessage = stringMatching(/^Redis at 127\.0\.0\.1:\d+ is available again$/);
const fallbackMessage = stringMatching(/^Rate limits are counted by this process alone: ./);
const fallbackEndMessage = 'Rate limits are counted by all processes together again';

/** Sends requests until `end` is called, which throws any error that a caller received. */
const startTraffic = ({ limiter }: ObservedConnection) => {
  let isRunning = true;
  let results = 0;
  const traffic = Array.from({ length: 20 }, async (_, caller) => {
    for (let i = 0; isRunning; i++) {
      await limiter.consume(`caller ${caller}`, rule);
      await limiter.peek(`caller ${caller}`, rule);
      results++;
      await new Promise(setImmediate);
    }
  });
  return {
    countResults: () => results,
    end: async () => {
      isRunning = false;
      await Promise.all(traffic);
    },
  };
};

test('the pauses between attempts grow from one second to twenty', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 100].map((attempt) => [computeBackOffMs(attempt, 0), computeBackOffMs(attempt, 1)]);
  expect(pauses).toEqual([
    [1000, 1250],
    [2000, 2500],
    [4000, 5000],
    [8000, 10_000],
    [16_000, 20_000],
    [16_000, 20_000],
    [16_000, 20_000],
  ]);
});

describe.skipIf(!server?.control || !proxy)('while Redis is unavailable', () => {
  const faults: Record<string, readonly [begin: () => Promise<void>, end: () => Promise<void>]> = {
    'is stopped': [() => server!.control!.stop(), () => server!.control!.start()],
    'is killed': [() => server!.control!.stop('immediate'), () => server!.control!.start()],
    hangs: [() => server!.control!.pause(), () => server!.control!.resume()],
    'is blocked': [() => proxy!.set('hang'), () => proxy!.set('pass')],
    'resets its connections': [() => proxy!.set('reset'), () => proxy!.set('pass')],
    'replies with garbage': [() => proxy!.set('garbage'), () => proxy!.set('pass')],
    'cannot be reached': [() => proxy!.set('down'), () => proxy!.set('pass')],
    'exceeds the timeout': [() => proxy!.set({ latencyMs: 900 }), () => proxy!.set('pass')],
  };

  for (const [description, [begin, end]] of Object.entries(faults)) {
    test(`no caller sees an error if it ${description}, and it recovers automatically`, async () => {
      const connection = await openObservedConnection(url);
      const { time, redis, fallbacks, warnings } = connection;
      const traffic = startTraffic(connection);
      const waitForResults = (count: number) => {
        const resultsBefore = traffic.countResults();
        return time.pollInRealTime(() => expect(traffic.countResults()).toBeGreaterThan(resultsBefore + count));
      };
      await waitForResults(20);
      await begin();
      await time.advanceUntilSuccess(() => {
        expect(fallbacks.at(-1)).toBe(true);
        expect(redis.client.status).not.toBe('ready');
      });
      await waitForResults(200);
      await end();
      await connection.waitUntilAvailable();
      await time.pollInRealTime(() => expect(fallbacks.at(-1)).toBe(false));
      await traffic.end();
      await connection.close();
      expect(warnings).toEqual(
        expect.arrayContaining([outageMessage, recoveryMessage, fallbackMessage, fallbackEndMessage]),
      );
    });
  }

  for (const [description, [begin, end]] of Object.entries(faults)) {
    test(`the probe notices if it ${description}, and if it is available again, without any caller`, async () => {
      const { time, redis, limiter, fallbacks, waitUntilAvailable, close } = await openObservedConnection(url);
      const check = () => limiter.probe.check().catch(() => undefined);
      await limiter.probe.check();
      expect(fallbacks).toEqual([]);
      await begin();
      await time.advanceUntilSuccess(async () => {
        await check();
        expect(fallbacks).toEqual([true]);
      });
      await end();
      await time.advanceUntilSuccess(() => expect(redis.client.status).not.toBe('ready'));
      await waitUntilAvailable();
      await check();
      expect(fallbacks).toEqual([true, false]);
      await close();
    });
  }

  test('a Redis that hung for a moment is used again as soon as it responds', async () => {
    const { time, redis, limiter, warnings, waitUntilAvailable, close } = await openObservedConnection(url);
    const { stream } = redis.client;
    await server!.control!.pause();
    await time.advanceUntil(limiter.consume('ada', rule));
    expect(warnings).toEqual([outageMessage, fallbackMessage]);
    await server!.control!.resume();
    await waitUntilAvailable();
    await limiter.consume('ada', rule);
    expect(warnings).toEqual([outageMessage, fallbackMessage, recoveryMessage, fallbackEndMessage]);
    expect(redis.client.stream).toBe(stream);
    await close();
  });

  test('peekMany has the scope of this process during an outage, and of all processes afterwards', async () => {
    const { limiter, waitUntilAvailable, time, close } = await openObservedConnection(url);
    const queries = Array.from({ length: 250 }, (_, index) => ({ subject: `subject ${index}`, rule }));
    const readScope = async () => (await limiter.peekMany(queries)).scope;
    expect(await readScope()).toBe('all');
    await server!.control!.stop('immediate');
    expect(await readScope()).toBe('process');
    await server!.control!.start();
    await waitUntilAvailable();
    // The first results may still come from the fallback. In that case, the scope is not all processes.
    await time.pollInRealTime(async () => expect(await readScope()).toBe('all'));
    await close();
  });

  test('each change is logged once for any number of requests', async () => {
    const { limiter, warnings, fallbacks, waitUntilAvailable, close } = await openObservedConnection(url);
    const consume = (times: number) => Promise.all(Array.from({ length: times }, () => limiter.consume('ada', rule)));
    await consume(1);
    expect(warnings).toEqual([]);
    const pending = consume(100);
    await proxy!.set('down');
    await pending;
    await consume(500);
    expect(warnings).toEqual([outageMessage, fallbackMessage]);
    expect(fallbacks).toEqual([true]);
    await proxy!.set('pass');
    await waitUntilAvailable();
    await consume(500);
    expect(warnings).toEqual([outageMessage, fallbackMessage, recoveryMessage, fallbackEndMessage]);
    expect(fallbacks).toEqual([true, false]);
    await close();
  });

  test('the cause is logged before its effect, even for a request at the moment of the failure', async () => {
    const { limiter, warnings, close } = await openObservedConnection(url);
    proxy!.dropAll();
    while (warnings.length < 2) {
      await new Promise(setImmediate);
      void limiter.consume('ada', rule);
    }
    expect(warnings).toEqual([outageMessage, fallbackMessage]);
    await close();
  });

  test('this process counts with the full limit, and the counts of Redis still apply afterwards', async () => {
    await server!.flush();
    const { limiter, waitUntilUnavailable, waitUntilAvailable, close } = await openObservedConnection(url);
    const ruleOfThree: LimitRule = { allowed: 3, windowSeconds: 3600 };
    const consume = async () => (await limiter.consume('ada', ruleOfThree)).isAdmitted;
    expect([await consume(), await consume()]).toEqual([true, true]);
    await proxy!.set('down');
    await waitUntilUnavailable();
    expect([await consume(), await consume(), await consume(), await consume()]).toEqual([true, true, true, false]);
    await proxy!.set('pass');
    await waitUntilAvailable();
    expect([await consume(), await consume()]).toEqual([true, false]);
    await close();
  });

  test('the fallback begins after a fraction of a second, and no request waits for a hanging Redis', async () => {
    const { time, limiter, fallbacks, close } = await openObservedConnection(url);
    await server!.control!.pause();
    const decision = limiter.consume('ada', rule);
    await time.advance(commandTimeoutMs - 1);
    expect(fallbacks).toEqual([]);
    await time.advance(1);
    expect((await decision).isAdmitted).toBe(true);
    expect(fallbacks).toEqual([true]);
    // The PING that determines whether Redis is available is also overdue.
    await time.advance(commandTimeoutMs);
    for (let i = 0; i < 1000; i++) await limiter.consume('ada', rule);
    await close();
    expect(fallbacks).toEqual([true]);
  });

  test('a service starts, works, and uses Redis as soon as it is available', async () => {
    await server!.control!.stop();
    const { redis, limiter, warnings, waitUntilAvailable, close } = await openObservedConnection(url);
    expect(warnings).toEqual([outageMessage]);
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    await expect(redis.probe.check()).rejects.toBeInstanceOf(RedisUnavailable);
    expect(redis.probe).toMatchObject({ name: 'redis', essential: false });
    await server!.control!.start();
    await waitUntilAvailable();
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    expect(await redis.client.exists(limitKeys('here', 'ada').log)).toBe(1);
    await close();
  });

  test('a service starts even if Redis hangs', async () => {
    const time = useStoppedTime();
    await server!.control!.pause();
    const { limiter, warnings, waitUntilAvailable, close } = await time.advanceUntil(openObservedConnection(url));
    expect((await limiter.consume('ada', rule)).isAdmitted).toBe(true);
    expect(warnings).toEqual([outageMessage, fallbackMessage]);
    await server!.control!.resume();
    await waitUntilAvailable();
    await close();
  });

  test('a request without a reply is not sent again, and is decided once the connection closes', async () => {
    await server!.flush();
    const { limiter, waitUntilAvailable, close } = await openObservedConnection(url);
    await limiter.consume('ada', rule);
    await proxy!.set('hang');
    const pending = limiter.consume('ada', rule);
    // After this, the request has been sent.
    await new Promise(setImmediate);
    await proxy!.set('reset');
    expect((await pending).remaining).toBe(999);
    await proxy!.set('pass');
    await waitUntilAvailable();
    expect((await limiter.peek('ada', rule)).remaining).toBe(999);
    await close();
  });

  test('a primary that became a replica is dropped, retried with backoff, and used once it accepts writes', async () => {
    const { time, limiter, warnings, fallbacks, pausesMs, waitUntilAvailable, close } =
      await openObservedConnection(url);
    const operatorClient = new Redis(server!.url);
    await operatorClient.replicaof('127.0.0.1', 1);
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    await time.advanceUntilSuccess(() => expect(Math.max(...pausesMs)).toBeGreaterThanOrEqual(2 * backOffMinMs));
    const replicaMessage = stringMatching(/^Redis at 127\.0\.0\.1:\d+ is unavailable: READONLY /);
    expect(warnings).toEqual([replicaMessage, fallbackMessage]);
    await operatorClient.replicaof('NO', 'ONE');
    operatorClient.disconnect();
    await waitUntilAvailable();
    await limiter.consume('ada', rule);
    expect(warnings).toEqual([replicaMessage, fallbackMessage, recoveryMessage, fallbackEndMessage]);
    expect(fallbacks).toEqual([true, false]);
    await close();
  });

  test('a connection that breaks while idle is logged, and retried soon each time', async () => {
    const { time, warnings, pausesMs, waitUntilAvailable, close } = await openObservedConnection(url);
    for (let attempt = 1; attempt <= 3; attempt++) {
      proxy!.dropAll();
      await time.pollInRealTime(() => expect(pausesMs).toHaveLength(attempt));
      await waitUntilAvailable();
    }
    await close();
    expect(warnings).toEqual([
      outageMessage,
      recoveryMessage,
      outageMessage,
      recoveryMessage,
      outageMessage,
      recoveryMessage,
    ]);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(1.25 * backOffMinMs);
  });

  test('a process that stalled while Redis replied accepts the reply', async () => {
    await server!.flush();
    // Connect without the proxy, which would also stall.
    const { limiter, warnings, fallbacks, close } = await openObservedConnection(server!.url);
    for (let requestCount = 1; requestCount <= 5; requestCount++) {
      const result = limiter.consume('ada', rule);
      // After this, the request has been sent.
      await new Promise(setImmediate);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commandTimeoutMs);
      // All due timers fire before anything is read.
      vi.advanceTimersByTime(10 * commandTimeoutMs);
      expect((await result).remaining).toBe(1000 - requestCount);
    }
    expect([warnings, fallbacks]).toEqual([[], []]);
    await close();
  });

  test('an overdue reply fails only its own request, and the others wait for their replies', async () => {
    await server!.flush();
    const { time, limiter, warnings, fallbacks, close } = await openObservedConnection(url);
    const ruleOfOne: LimitRule = { allowed: 1, windowSeconds: 3600 };
    const consume = async (name: string) => (await limiter.consume(name, ruleOfOne)).isAdmitted;
    expect([await consume('ada'), await consume('bob')]).toEqual([true, true]);
    await proxy!.set('hang');
    expect(await time.advanceUntil(consume('ada'))).toBe(true);
    expect(fallbacks).toEqual([true]);
    // These requests are sent while it is uncertain whether Redis is available. The fallback would admit one of them.
    const otherResults = Promise.all(Array.from({ length: 20 }, () => consume('bob')));
    await proxy!.set('pass');
    expect(await otherResults).not.toContain(true);
    expect(fallbacks).toEqual([true, false]);
    expect(warnings).toEqual([outageMessage, fallbackMessage, recoveryMessage, fallbackEndMessage]);
    await close();
  });

  test('a reply to a request from before the fallback does not end the fallback', async () => {
    await server!.flush();
    const { redis, limiter, fallbacks, waitUntilAvailable, close } = await openObservedConnection(url);
    await proxy!.set('hang');
    const implausibleReply = redis.run(() => Promise.reject(new Error('an implausible reply')));
    const earlierResult = limiter.consume('ada', rule);
    await expect(implausibleReply).rejects.toBeInstanceOf(RedisUnavailable);
    await limiter.consume('bob', rule);
    expect(fallbacks).toEqual([true]);
    await proxy!.set('pass');
    expect((await earlierResult).isAdmitted).toBe(true);
    expect(fallbacks).toEqual([true]);
    await waitUntilAvailable();
    await limiter.consume('ada', rule);
    expect(fallbacks).toEqual([true, false]);
    expect((await limiter.peek('ada', rule)).remaining).toBe(998);
    await close();
  });

  test('a connection can be closed in any state, and logs nothing afterwards', async () => {
    const openConnection = await openObservedConnection(url);
    const { time } = openConnection;
    await openConnection.close();
    await openConnection.close();
    await expect(openConnection.redis.run((client) => client.ping())).rejects.toBeInstanceOf(RedisUnavailable);
    const hangingConnection = await openObservedConnection(url);
    await proxy!.set('hang');
    const pending = hangingConnection.limiter.consume('ada', rule);
    await time.advanceUntil(hangingConnection.close());
    expect((await pending).isAdmitted).toBe(true);
    await proxy!.set('down');
    const unreachableConnection = await openObservedConnection(url);
    await unreachableConnection.close();
    expect(openConnection.warnings).toEqual([]);
    expect(hangingConnection.warnings).toEqual([fallbackMessage]);
    expect(unreachableConnection.warnings).toEqual([outageMessage]);
  });
});

/** Starts a server that sends the same reply to every command. */
const startFake = async (reply: string) => {
  const fake = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const commands = bytes.toString('latin1').match(/\*\d+\r\n\$/g) ?? [];
      socket.write(`${reply}\r\n`.repeat(commands.length));
    });
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(fake.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => fake.close(resolve)),
  };
};

test('a reply to a different command is never trusted (a fake that replies PONG to everything)', async () => {
  const fake = await startFake('+PONG');
  const connection = await openObservedConnection(`redis://${fake.host}`);
  await connection.redis.probe.check();
  expect((await connection.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(connection.fallbacks).toEqual([true]);
  await connection.waitUntilAvailable();
  await connection.close();
  await fake.close();
});

test('a server with a wrong reply to PING is not Redis (a fake that replies OK to everything)', async () => {
  const fake = await startFake('+OK');
  const connection = await openObservedConnection(`redis://${fake.host}`);
  const { time, pausesMs } = connection;
  expect(connection.warnings).toEqual([`Redis at ${fake.host} is unavailable: it did not respond to PING with PONG`]);
  expect((await connection.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(connection.fallbacks).toEqual([true]);
  // The server accepts connections, but that is no reason to retry more often.
  await time.advanceUntilSuccess(() => expect(Math.max(...pausesMs)).toBeGreaterThanOrEqual(2 * backOffMinMs));
  await connection.close();
  await fake.close();
});

test('a password that a server quotes is not logged (a fake that quotes it)', async () => {
  const fake = await startFake('-ERR hunter2 is not the password');
  const connection = await openObservedConnection(`redis://:hunter2@${fake.host}`);
  expect(connection.warnings).toEqual([`Redis at ${fake.host} is unavailable: ERR *** is not the password`]);
  await connection.close();
  await fake.close();
});

test('an invalid URL is rejected immediately', async () => {
  await expect(openRedis({ url: 'redis://:hunter2@', log: recordLog() })).rejects.toThrow(/^The URL of Redis/);
});
