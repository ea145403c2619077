import { createServer, type AddressInfo } from 'node:net';
import { recordLog } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { Redis } from 'ioredis';
import { startFaultProxy, startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openObserved, useStoppedTime, type ObservedConnection } from '../test/observed-connection.ts';
import { backOffMinMs, backOffMs, commandTimeoutMs, openRedis, RedisUnavailable } from './redis-connection.ts';
import { limitKeys } from './redis-rate-limiter.ts';

const rule: LimitRule = { allowed: 1000, windowSeconds: 3600 };

const server = await startRedis();
const proxy = server && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) }));
const url = server && proxy ? proxy.through(server.url) : '';
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

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const unavailable = matching(/^Redis at 127\.0\.0\.1:\d+ is unavailable: ./);
const availableAgain = matching(/^Redis at 127\.0\.0\.1:\d+ is available again$/);
const countsAlone = matching(/^Rate limits are counted by this process alone: ./);
const countsTogether = 'Rate limits are counted by all processes together again';

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
    answers: () => results,
    end: async () => {
      isRunning = false;
      await Promise.all(traffic);
    },
  };
};

test('the pauses between attempts grow from one second to twenty', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 100].map((attempt) => [backOffMs(attempt, 0), backOffMs(attempt, 1)]);
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
    'answers garbage': [() => proxy!.set('garbage'), () => proxy!.set('pass')],
    'cannot be reached': [() => proxy!.set('down'), () => proxy!.set('pass')],
    'exceeds the timeout': [() => proxy!.set({ latencyMs: 900 }), () => proxy!.set('pass')],
  };

  for (const [description, [begin, end]] of Object.entries(faults)) {
    test(`no caller sees an error if it ${description}, and it recovers automatically`, async () => {
      const observed = await openObserved(url);
      const { time, redis, fallbacks, warnings } = observed;
      const traffic = startTraffic(observed);
      const untilResults = (count: number) => {
        const before = traffic.answers();
        return time.pollInRealTime(() => expect(traffic.answers()).toBeGreaterThan(before + count));
      };
      await untilResults(20);
      await begin();
      await time.advanceUntilSuccess(() => {
        expect(fallbacks.at(-1)).toBe(true);
        expect(redis.client.status).not.toBe('ready');
      });
      await untilResults(200);
      await end();
      await observed.untilHere();
      await time.pollInRealTime(() => expect(fallbacks.at(-1)).toBe(false));
      await traffic.end();
      await observed.close();
      expect(warnings).toEqual(expect.arrayContaining([unavailable, availableAgain, countsAlone, countsTogether]));
    });
  }

  for (const [description, [begin, end]] of Object.entries(faults)) {
    test(`the probe notices if it ${description}, and if it is available again, without any caller`, async () => {
      const { time, redis, limiter, fallbacks, untilHere, close } = await openObserved(url);
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
      await untilHere();
      await check();
      expect(fallbacks).toEqual([true, false]);
      await close();
    });
  }

  test('a Redis that hung for a moment is used again as soon as it responds', async () => {
    const { time, redis, limiter, warnings, untilHere, close } = await openObserved(url);
    const { stream } = redis.client;
    await server!.control!.pause();
    await time.advanceUntil(limiter.consume('ada', rule));
    expect(warnings).toEqual([unavailable, countsAlone]);
    await server!.control!.resume();
    await untilHere();
    await limiter.consume('ada', rule);
    expect(warnings).toEqual([unavailable, countsAlone, availableAgain, countsTogether]);
    expect(redis.client.stream).toBe(stream);
    await close();
  });

  test('peekMany has the scope of this process during an outage, and of all processes afterwards', async () => {
    const { limiter, untilHere, time, close } = await openObserved(url);
    const queries = Array.from({ length: 250 }, (_, at) => ({ subject: `subject ${at}`, rule }));
    const scope = async () => (await limiter.peekMany(queries)).scope;
    expect(await scope()).toBe('all');
    await server!.control!.stop('immediate');
    expect(await scope()).toBe('process');
    await server!.control!.start();
    await untilHere();
    // The first results may still come from the fallback. In that case, the scope is not all processes.
    await time.pollInRealTime(async () => expect(await scope()).toBe('all'));
    await close();
  });

  test('each change is logged once for any number of requests', async () => {
    const { limiter, warnings, fallbacks, untilHere, close } = await openObserved(url);
    const consume = (times: number) => Promise.all(Array.from({ length: times }, () => limiter.consume('ada', rule)));
    await consume(1);
    expect(warnings).toEqual([]);
    const pending = consume(100);
    await proxy!.set('down');
    await pending;
    await consume(500);
    expect(warnings).toEqual([unavailable, countsAlone]);
    expect(fallbacks).toEqual([true]);
    await proxy!.set('pass');
    await untilHere();
    await consume(500);
    expect(warnings).toEqual([unavailable, countsAlone, availableAgain, countsTogether]);
    expect(fallbacks).toEqual([true, false]);
    await close();
  });

  test('the cause is logged before its effect, even for a request at the moment of the failure', async () => {
    const { limiter, warnings, close } = await openObserved(url);
    proxy!.dropAll();
    while (warnings.length < 2) {
      await new Promise(setImmediate);
      void limiter.consume('ada', rule);
    }
    expect(warnings).toEqual([unavailable, countsAlone]);
    await close();
  });

  test('this process counts with the full limit, and the counts of Redis still apply afterwards', async () => {
    await server!.flush();
    const { limiter, untilUnavailable, untilHere, close } = await openObserved(url);
    const three: LimitRule = { allowed: 3, windowSeconds: 3600 };
    const consume = async () => (await limiter.consume('ada', three)).admitted;
    expect([await consume(), await consume()]).toEqual([true, true]);
    await proxy!.set('down');
    await untilUnavailable();
    expect([await consume(), await consume(), await consume(), await consume()]).toEqual([true, true, true, false]);
    await proxy!.set('pass');
    await untilHere();
    expect([await consume(), await consume()]).toEqual([true, false]);
    await close();
  });

  test('the fallback begins after a fraction of a second, and no request waits for a hanging Redis', async () => {
    const { time, limiter, fallbacks, close } = await openObserved(url);
    await server!.control!.pause();
    const decision = limiter.consume('ada', rule);
    await time.advance(commandTimeoutMs - 1);
    expect(fallbacks).toEqual([]);
    await time.advance(1);
    expect((await decision).admitted).toBe(true);
    expect(fallbacks).toEqual([true]);
    // The PING that determines whether Redis is available is also overdue.
    await time.advance(commandTimeoutMs);
    for (let i = 0; i < 1000; i++) await limiter.consume('ada', rule);
    await close();
    expect(fallbacks).toEqual([true]);
  });

  test('a service starts, works, and uses Redis as soon as it is available', async () => {
    await server!.control!.stop();
    const { redis, limiter, warnings, untilHere, close } = await openObserved(url);
    expect(warnings).toEqual([unavailable]);
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    await expect(redis.probe.check()).rejects.toBeInstanceOf(RedisUnavailable);
    expect(redis.probe).toMatchObject({ name: 'redis', essential: false });
    await server!.control!.start();
    await untilHere();
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    expect(await redis.client.exists(limitKeys('here', 'ada').log)).toBe(1);
    await close();
  });

  test('a service starts even if Redis hangs', async () => {
    const time = useStoppedTime();
    await server!.control!.pause();
    const { limiter, warnings, untilHere, close } = await time.advanceUntil(openObserved(url));
    expect((await limiter.consume('ada', rule)).admitted).toBe(true);
    expect(warnings).toEqual([unavailable, countsAlone]);
    await server!.control!.resume();
    await untilHere();
    await close();
  });

  test('a request without a reply is not sent again, and is decided once the connection closes', async () => {
    await server!.flush();
    const { limiter, untilHere, close } = await openObserved(url);
    await limiter.consume('ada', rule);
    await proxy!.set('hang');
    const pending = limiter.consume('ada', rule);
    // After this, the request has been sent.
    await new Promise(setImmediate);
    await proxy!.set('reset');
    expect((await pending).remaining).toBe(999);
    await proxy!.set('pass');
    await untilHere();
    expect((await limiter.peek('ada', rule)).remaining).toBe(999);
    await close();
  });

  test('a primary that became a replica is dropped, retried with backoff, and used once it accepts writes', async () => {
    const { time, limiter, warnings, fallbacks, pausesMs, untilHere, close } = await openObserved(url);
    const operator = new Redis(server!.url);
    await operator.replicaof('127.0.0.1', 1);
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    await time.advanceUntilSuccess(() => expect(Math.max(...pausesMs)).toBeGreaterThanOrEqual(2 * backOffMinMs));
    const replicaUnavailable = matching(/^Redis at 127\.0\.0\.1:\d+ is unavailable: READONLY /);
    expect(warnings).toEqual([replicaUnavailable, countsAlone]);
    await operator.replicaof('NO', 'ONE');
    operator.disconnect();
    await untilHere();
    await limiter.consume('ada', rule);
    expect(warnings).toEqual([replicaUnavailable, countsAlone, availableAgain, countsTogether]);
    expect(fallbacks).toEqual([true, false]);
    await close();
  });

  test('a connection that breaks while idle is logged, and retried soon each time', async () => {
    const { time, warnings, pausesMs, untilHere, close } = await openObserved(url);
    for (let times = 1; times <= 3; times++) {
      proxy!.dropAll();
      await time.pollInRealTime(() => expect(pausesMs).toHaveLength(times));
      await untilHere();
    }
    await close();
    expect(warnings).toEqual([unavailable, availableAgain, unavailable, availableAgain, unavailable, availableAgain]);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(1.25 * backOffMinMs);
  });

  test('a process that stalled while Redis replied accepts the reply', async () => {
    await server!.flush();
    // Connect without the proxy, which would also stall.
    const { limiter, warnings, fallbacks, close } = await openObserved(server!.url);
    for (let counted = 1; counted <= 5; counted++) {
      const result = limiter.consume('ada', rule);
      // After this, the request has been sent.
      await new Promise(setImmediate);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commandTimeoutMs);
      // All due timers fire before anything is read.
      vi.advanceTimersByTime(10 * commandTimeoutMs);
      expect((await result).remaining).toBe(1000 - counted);
    }
    expect([warnings, fallbacks]).toEqual([[], []]);
    await close();
  });

  test('an overdue reply fails only its own request, and the others wait for their replies', async () => {
    await server!.flush();
    const { time, limiter, warnings, fallbacks, close } = await openObserved(url);
    const once: LimitRule = { allowed: 1, windowSeconds: 3600 };
    const consume = async (name: string) => (await limiter.consume(name, once)).admitted;
    expect([await consume('ada'), await consume('bob')]).toEqual([true, true]);
    await proxy!.set('hang');
    expect(await time.advanceUntil(consume('ada'))).toBe(true);
    expect(fallbacks).toEqual([true]);
    // These requests are sent while it is uncertain whether Redis is available. The fallback would admit one of them.
    const otherResults = Promise.all(Array.from({ length: 20 }, () => consume('bob')));
    await proxy!.set('pass');
    expect(await otherResults).not.toContain(true);
    expect(fallbacks).toEqual([true, false]);
    expect(warnings).toEqual([unavailable, countsAlone, availableAgain, countsTogether]);
    await close();
  });

  test('a reply to a request from before the fallback does not end the fallback', async () => {
    await server!.flush();
    const { redis, limiter, fallbacks, untilHere, close } = await openObserved(url);
    await proxy!.set('hang');
    const implausible = redis.run(() => Promise.reject(new Error('an implausible reply')));
    const before = limiter.consume('ada', rule);
    await expect(implausible).rejects.toBeInstanceOf(RedisUnavailable);
    await limiter.consume('bob', rule);
    expect(fallbacks).toEqual([true]);
    await proxy!.set('pass');
    expect((await before).admitted).toBe(true);
    expect(fallbacks).toEqual([true]);
    await untilHere();
    await limiter.consume('ada', rule);
    expect(fallbacks).toEqual([true, false]);
    expect((await limiter.peek('ada', rule)).remaining).toBe(998);
    await close();
  });

  test('a connection can be closed in any state, and logs nothing afterwards', async () => {
    const running = await openObserved(url);
    const { time } = running;
    await running.close();
    await running.close();
    await expect(running.redis.run((client) => client.ping())).rejects.toBeInstanceOf(RedisUnavailable);
    const hanging = await openObserved(url);
    await proxy!.set('hang');
    const pending = hanging.limiter.consume('ada', rule);
    await time.advanceUntil(hanging.close());
    expect((await pending).admitted).toBe(true);
    await proxy!.set('down');
    const unreachable = await openObserved(url);
    await unreachable.close();
    expect(running.warnings).toEqual([]);
    expect(hanging.warnings).toEqual([countsAlone]);
    expect(unreachable.warnings).toEqual([unavailable]);
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

test('a reply to another command is never trusted (a fake that replies PONG to everything)', async () => {
  const fake = await startFake('+PONG');
  const observed = await openObserved(`redis://${fake.host}`);
  await observed.redis.probe.check();
  expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(observed.fallbacks).toEqual([true]);
  await observed.untilHere();
  await observed.close();
  await fake.close();
});

test('a server with a wrong reply to PING is not Redis (a fake that replies OK to everything)', async () => {
  const fake = await startFake('+OK');
  const observed = await openObserved(`redis://${fake.host}`);
  const { time, pausesMs } = observed;
  expect(observed.warnings).toEqual([`Redis at ${fake.host} is unavailable: it did not respond to PING with PONG`]);
  expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(observed.fallbacks).toEqual([true]);
  // The server accepts connections, but that is no reason to retry more often.
  await time.advanceUntilSuccess(() => expect(Math.max(...pausesMs)).toBeGreaterThanOrEqual(2 * backOffMinMs));
  await observed.close();
  await fake.close();
});

test('a password that a server quotes is not logged (a fake that quotes it)', async () => {
  const fake = await startFake('-ERR hunter2 is not the password');
  const observed = await openObserved(`redis://:hunter2@${fake.host}`);
  expect(observed.warnings).toEqual([`Redis at ${fake.host} is unavailable: ERR *** is not the password`]);
  await observed.close();
  await fake.close();
});

test('an invalid URL is rejected immediately', async () => {
  await expect(openRedis({ url: 'redis://:hunter2@', log: recordLog() })).rejects.toThrow(/^The address of Redis/);
});
