import { createServer, type AddressInfo } from 'node:net';
import { recordLog } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { Redis } from 'ioredis';
import { startFaultProxy, startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openObserved, stoppedTime, type Observed } from '../test/observed-connection.ts';
import { backOffMinMs, backOffMs, commandTimeoutMs, openRedis, RedisAway } from './redis-connection.ts';
import { limitKeys } from './redis-rate-limiter.ts';

const rule: LimitRule = { allowed: 1000, windowSeconds: 3600 };

const server = await startRedis();
const proxy = server && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) }));
const url = server && proxy ? proxy.through(server.url) : '';
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});
// Whatever a test left behind, the next one finds a running server.
afterEach(async () => {
  await server?.control?.stop('immediate');
  await server?.control?.start();
  await proxy?.set('pass');
});

const saying = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const isAway = saying(/^Redis at 127\.0\.0\.1:\d+ is away: ./);
const isBack = saying(/^Redis at 127\.0\.0\.1:\d+ is back$/);
const isAlone = saying(/^Rate limits are counted by this process alone: ./);
const isTogether = 'Rate limits are counted by all processes together again';

/** Sends requests until `end`, which throws any error that a caller would have seen. */
const startTraffic = ({ limiter }: Observed) => {
  let isRunning = true;
  let answers = 0;
  const traffic = Array.from({ length: 20 }, async (_, caller) => {
    for (let i = 0; isRunning; i++) {
      await limiter.consume(`caller ${caller}`, rule);
      await limiter.peek(`caller ${caller}`, rule);
      answers++;
      await new Promise(setImmediate);
    }
  });
  return {
    answers: () => answers,
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

describe.skipIf(!server?.control || !proxy)('while Redis is away', () => {
  const faults: Record<string, readonly [begin: () => Promise<void>, end: () => Promise<void>]> = {
    'is stopped': [() => server!.control!.stop(), () => server!.control!.start()],
    'is killed': [() => server!.control!.stop('immediate'), () => server!.control!.start()],
    hangs: [() => server!.control!.pause(), () => server!.control!.resume()],
    'is not let through': [() => proxy!.set('hang'), () => proxy!.set('pass')],
    'resets its connections': [() => proxy!.set('reset'), () => proxy!.set('pass')],
    'answers garbage': [() => proxy!.set('garbage'), () => proxy!.set('pass')],
    'cannot be reached': [() => proxy!.set('down'), () => proxy!.set('pass')],
    'is slower than its time limit': [() => proxy!.set({ latencyMs: 900 }), () => proxy!.set('pass')],
  };

  for (const [what, [begin, end]] of Object.entries(faults)) {
    test(`no caller sees an error if it ${what}, and it decides again by itself`, async () => {
      const observed = await openObserved(url);
      const { time, redis, fallbacks, warnings } = observed;
      const traffic = startTraffic(observed);
      const untilAnswered = (count: number) => {
        const before = traffic.answers();
        return time.stillUntil(() => expect(traffic.answers()).toBeGreaterThan(before + count));
      };
      await untilAnswered(20);
      await begin();
      await time.passUntilSucceeds(() => {
        expect(fallbacks.at(-1)).toBe(true);
        expect(redis.client.status).not.toBe('ready');
      });
      await untilAnswered(200);
      await end();
      await observed.untilHere();
      await time.stillUntil(() => expect(fallbacks.at(-1)).toBe(false));
      await traffic.end();
      await observed.close();
      expect(warnings).toEqual(expect.arrayContaining([isAway, isBack, isAlone, isTogether]));
    });
  }

  for (const [what, [begin, end]] of Object.entries(faults)) {
    test(`the probe notices if it ${what}, and if it is back, without any caller`, async () => {
      const { time, redis, limiter, fallbacks, untilHere, close } = await openObserved(url);
      const check = () => limiter.probe.check().catch(() => undefined);
      await limiter.probe.check();
      expect(fallbacks).toEqual([]);
      await begin();
      await time.passUntilSucceeds(async () => {
        await check();
        expect(fallbacks).toEqual([true]);
      });
      await end();
      await time.passUntilSucceeds(() => expect(redis.client.status).not.toBe('ready'));
      await untilHere();
      await check();
      expect(fallbacks).toEqual([true, false]);
      await close();
    });
  }

  test('a Redis that hung for a moment is used again as soon as it answers', async () => {
    const { time, redis, limiter, warnings, untilHere, close } = await openObserved(url);
    const { stream } = redis.client;
    await server!.control!.pause();
    await time.passUntil(limiter.consume('ada', rule));
    expect(warnings).toEqual([isAway, isAlone]);
    await server!.control!.resume();
    await untilHere();
    await limiter.consume('ada', rule);
    expect(warnings).toEqual([isAway, isAlone, isBack, isTogether]);
    expect(redis.client.stream).toBe(stream);
    await close();
  });

  test('peeks of many say that they are of this process alone while it is away, and of all when it is back', async () => {
    const { limiter, untilHere, time, close } = await openObserved(url);
    const asked = Array.from({ length: 250 }, (_, at) => ({ subject: `subject ${at}`, rule }));
    const scope = async () => (await limiter.peekEach(asked)).scope;
    expect(await scope()).toBe('all');
    await server!.control!.stop('immediate');
    expect(await scope()).toBe('process');
    await server!.control!.start();
    await untilHere();
    // The first of them may still be the fallback's: they are not said to be of all.
    await time.stillUntil(async () => expect(await scope()).toBe('all'));
    await close();
  });

  test('each change is logged once, however many requests there are', async () => {
    const { limiter, warnings, fallbacks, untilHere, close } = await openObserved(url);
    const take = (times: number) => Promise.all(Array.from({ length: times }, () => limiter.consume('ada', rule)));
    await take(1);
    expect(warnings).toEqual([]);
    const underWay = take(100);
    await proxy!.set('down');
    await underWay;
    await take(500);
    expect(warnings).toEqual([isAway, isAlone]);
    expect(fallbacks).toEqual([true]);
    await proxy!.set('pass');
    await untilHere();
    await take(500);
    expect(warnings).toEqual([isAway, isAlone, isBack, isTogether]);
    expect(fallbacks).toEqual([true, false]);
    await close();
  });

  test('the cause is logged before its consequence, even for a request at the moment Redis goes away', async () => {
    const { limiter, warnings, close } = await openObserved(url);
    proxy!.dropAll();
    while (warnings.length < 2) {
      await new Promise(setImmediate);
      void limiter.consume('ada', rule);
    }
    expect(warnings).toEqual([isAway, isAlone]);
    await close();
  });

  test('this process counts with the full limit, and afterwards what Redis had counted still counts', async () => {
    await server!.flush();
    const { limiter, untilAway, untilHere, close } = await openObserved(url);
    const three: LimitRule = { allowed: 3, windowSeconds: 3600 };
    const take = async () => (await limiter.consume('ada', three)).admitted;
    expect([await take(), await take()]).toEqual([true, true]);
    await proxy!.set('down');
    await untilAway();
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, false]);
    await proxy!.set('pass');
    await untilHere();
    expect([await take(), await take()]).toEqual([true, false]);
    await close();
  });

  test('the fallback begins after a fraction of a second, and no request waits for a Redis known to hang', async () => {
    const { time, limiter, fallbacks, close } = await openObserved(url);
    await server!.control!.pause();
    const decided = limiter.consume('ada', rule);
    await time.pass(commandTimeoutMs - 1);
    expect(fallbacks).toEqual([]);
    await time.pass(1);
    expect((await decided).admitted).toBe(true);
    expect(fallbacks).toEqual([true]);
    // The PING that decides is overdue, too.
    await time.pass(commandTimeoutMs);
    for (let i = 0; i < 1000; i++) await limiter.consume('ada', rule);
    await close();
    expect(fallbacks).toEqual([true]);
  });

  test('a service starts, works, and uses Redis as soon as it is there', async () => {
    await server!.control!.stop();
    const { redis, limiter, warnings, untilHere, close } = await openObserved(url);
    expect(warnings).toEqual([isAway]);
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    await expect(redis.probe.check()).rejects.toBeInstanceOf(RedisAway);
    expect(redis.probe).toMatchObject({ name: 'redis', essential: false });
    await server!.control!.start();
    await untilHere();
    expect((await limiter.consume('ada', rule)).remaining).toBe(999);
    expect(await redis.client.exists(limitKeys('here', 'ada').log)).toBe(1);
    await close();
  });

  test('a service starts although Redis hangs', async () => {
    const time = stoppedTime();
    await server!.control!.pause();
    const { limiter, warnings, untilHere, close } = await time.passUntil(openObserved(url));
    expect((await limiter.consume('ada', rule)).admitted).toBe(true);
    expect(warnings).toEqual([isAway, isAlone]);
    await server!.control!.resume();
    await untilHere();
    await close();
  });

  test('an unanswered request is not sent again, and is decided as soon as the connection ends', async () => {
    await server!.flush();
    const { limiter, untilHere, close } = await openObserved(url);
    await limiter.consume('ada', rule);
    await proxy!.set('hang');
    const underWay = limiter.consume('ada', rule);
    // Then it has been sent.
    await new Promise(setImmediate);
    await proxy!.set('reset');
    expect((await underWay).remaining).toBe(999);
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
    await time.passUntilSucceeds(() => expect(Math.max(...pausesMs)).toBeGreaterThanOrEqual(2 * backOffMinMs));
    const isReplica = saying(/^Redis at 127\.0\.0\.1:\d+ is away: READONLY /);
    expect(warnings).toEqual([isReplica, isAlone]);
    await operator.replicaof('NO', 'ONE');
    operator.disconnect();
    await untilHere();
    await limiter.consume('ada', rule);
    expect(warnings).toEqual([isReplica, isAlone, isBack, isTogether]);
    expect(fallbacks).toEqual([true, false]);
    await close();
  });

  test('a Redis that goes away while idle is logged, and retried soon each time', async () => {
    const { time, warnings, pausesMs, untilHere, close } = await openObserved(url);
    for (let times = 1; times <= 3; times++) {
      proxy!.dropAll();
      await time.stillUntil(() => expect(pausesMs).toHaveLength(times));
      await untilHere();
    }
    await close();
    expect(warnings).toEqual([isAway, isBack, isAway, isBack, isAway, isBack]);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(1.25 * backOffMinMs);
  });

  test('a process that stalled while Redis answered takes the answer', async () => {
    await server!.flush();
    // Not through the proxy, which would stall as well.
    const { limiter, warnings, fallbacks, close } = await openObserved(server!.url);
    for (let counted = 1; counted <= 5; counted++) {
      const taken = limiter.consume('ada', rule);
      // Then it has been sent.
      await new Promise(setImmediate);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commandTimeoutMs);
      // All timers that are due by now fire before anything is read.
      vi.advanceTimersByTime(10 * commandTimeoutMs);
      expect((await taken).remaining).toBe(1000 - counted);
    }
    expect([warnings, fallbacks]).toEqual([[], []]);
    await close();
  });

  test('an overdue reply costs only its own request, and the others wait for theirs', async () => {
    await server!.flush();
    const { time, limiter, warnings, fallbacks, close } = await openObserved(url);
    const once: LimitRule = { allowed: 1, windowSeconds: 3600 };
    const take = async (name: string) => (await limiter.consume(name, once)).admitted;
    expect([await take('ada'), await take('bob')]).toEqual([true, true]);
    await proxy!.set('hang');
    expect(await time.passUntil(take('ada'))).toBe(true);
    expect(fallbacks).toEqual([true]);
    // Sent while it is uncertain whether Redis is away; this process alone would admit one of them.
    const others = Promise.all(Array.from({ length: 20 }, () => take('bob')));
    await proxy!.set('pass');
    expect(await others).not.toContain(true);
    expect(fallbacks).toEqual([true, false]);
    expect(warnings).toEqual([isAway, isAlone, isBack, isTogether]);
    await close();
  });

  test('an answer from before the fallback began does not end it', async () => {
    await server!.flush();
    const { redis, limiter, fallbacks, untilHere, close } = await openObserved(url);
    await proxy!.set('hang');
    const nonsense = redis.ask(() => Promise.reject(new Error('not what was asked for')));
    const before = limiter.consume('ada', rule);
    await expect(nonsense).rejects.toBeInstanceOf(RedisAway);
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
    await expect(running.redis.ask((client) => client.ping())).rejects.toBeInstanceOf(RedisAway);
    const hanging = await openObserved(url);
    await proxy!.set('hang');
    const pending = hanging.limiter.consume('ada', rule);
    await time.passUntil(hanging.close());
    expect((await pending).admitted).toBe(true);
    await proxy!.set('down');
    const away = await openObserved(url);
    await away.close();
    expect(running.warnings).toEqual([]);
    expect(hanging.warnings).toEqual([isAlone]);
    expect(away.warnings).toEqual([isAway]);
  });
});

/** A server that gives the same reply to every command. */
const startStandIn = async (answer: string) => {
  const standIn = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const commands = bytes.toString('latin1').match(/\*\d+\r\n\$/g) ?? [];
      socket.write(`${answer}\r\n`.repeat(commands.length));
    });
  });
  await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(standIn.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => standIn.close(resolve)),
  };
};

test('a reply to another command is never trusted (a stand-in that replies PONG to everything)', async () => {
  const standIn = await startStandIn('+PONG');
  const observed = await openObserved(`redis://${standIn.host}`);
  await observed.redis.probe.check();
  expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(observed.fallbacks).toEqual([true]);
  await observed.untilHere();
  await observed.close();
  await standIn.close();
});

test('a server that answers PING wrongly is not a Redis (a stand-in that replies OK to everything)', async () => {
  const standIn = await startStandIn('+OK');
  const observed = await openObserved(`redis://${standIn.host}`);
  const { time, pausesMs } = observed;
  expect(observed.warnings).toEqual([`Redis at ${standIn.host} is away: it did not answer PING with PONG`]);
  expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(observed.fallbacks).toEqual([true]);
  // It accepts connections, which is no reason to retry more often.
  await time.passUntilSucceeds(() => expect(Math.max(...pausesMs)).toBeGreaterThanOrEqual(2 * backOffMinMs));
  await observed.close();
  await standIn.close();
});

test('a password that a server repeats is not logged (a stand-in that repeats it)', async () => {
  const standIn = await startStandIn('-ERR hunter2 is not the password');
  const observed = await openObserved(`redis://:hunter2@${standIn.host}`);
  expect(observed.warnings).toEqual([`Redis at ${standIn.host} is away: ERR *** is not the password`]);
  await observed.close();
  await standIn.close();
});

test('an address that cannot be parsed is refused at once', async () => {
  await expect(openRedis({ url: 'redis://:hunter2@', log: recordLog() })).rejects.toThrow(/^The address of Redis/);
});
