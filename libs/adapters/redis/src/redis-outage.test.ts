import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordLog } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { Redis } from 'ioredis';
import { startFaultProxy, startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openObserved, until } from '../test/observed-connection.ts';
import { standStill } from '../test/stand-still.ts';
import { backOffMinMs, backOffMs, commandTimeoutMs, openRedis, RedisAway } from './redis-connection.ts';
import { limitKey } from './redis-rate-limiter.ts';

/** A timeout that no test reaches. */
const endlessMs = 3_600_000;
/** A timeout that a test can wait for, and that a server on a busy machine meets. */
const bearableMs = 3_000;
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

type Observed = Awaited<ReturnType<typeof openObserved>>;

/** Sends requests until `end`, which throws any error that a caller would have seen. */
const startTraffic = ({ limiter, bodies }: Observed) => {
  let isRunning = true;
  let answers = 0;
  const traffic = Array.from({ length: 20 }, async (_, caller) => {
    for (let i = 0; isRunning; i++) {
      await limiter.consume(`caller ${caller}`, rule);
      await limiter.peek(`caller ${caller}`, rule);
      await bodies.set(`list ${caller}/${i}`, new Uint8Array(100));
      await bodies.get(`unknown ${caller}/${i}`);
      answers++;
      await sleep(1);
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

describe.skipIf(!server?.control || !proxy)('while Redis is away', { timeout: 120_000 }, () => {
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
      const observed = await openObserved(url, commandTimeoutMs);
      const traffic = startTraffic(observed);
      await until(() => traffic.answers() > 20);
      await begin();
      await until(() => observed.fallbacks.at(-1) === true);
      await until(() => observed.redis.client.status !== 'ready');
      const before = traffic.answers();
      await until(() => traffic.answers() > before + 200);
      await end();
      await until(() => observed.fallbacks.at(-1) === false);
      await observed.untilHere();
      await traffic.end();
      await observed.close();
      expect(observed.warnings).toEqual(expect.arrayContaining([isAway, isBack, isAlone, isTogether]));
    });
  }

  for (const [what, [begin, end]] of Object.entries(faults)) {
    test(`the probe notices if it ${what}, and if it is back, without any caller`, async () => {
      const observed = await openObserved(url, commandTimeoutMs);
      const checked = (active: boolean) =>
        until(async () => {
          await observed.limiter.probe.check().catch(() => undefined);
          return observed.fallbacks.at(-1) === active;
        });
      await observed.limiter.probe.check();
      expect(observed.fallbacks).toEqual([]);
      await begin();
      await checked(true);
      await end();
      await checked(false);
      await observed.close();
    });
  }

  test('a Redis that hung for a moment is used again as soon as it answers', async () => {
    const observed = await openObserved(url, bearableMs);
    await server!.control!.pause();
    await observed.limiter.consume('ada', rule);
    expect(observed.warnings).toEqual([isAway, isAlone]);
    await server!.control!.resume();
    await observed.untilHere();
    await observed.limiter.consume('ada', rule);
    expect(observed.warnings).toEqual([isAway, isAlone, isBack, isTogether]);
    await observed.close();
  });

  test('peeks of many say that they are of this process alone while it is away, and of all when it is back', async () => {
    const observed = await openObserved(url);
    const asked = Array.from({ length: 250 }, (_, at) => ({ subject: `subject ${at}`, rule }));
    const scope = async () => (await observed.limiter.peekEach(asked)).scope;
    expect(await scope()).toBe('all');
    await server!.control!.stop('immediate');
    expect(await scope()).toBe('process');
    await server!.control!.start();
    await observed.untilHere();
    // The first of them may still be the fallback's: they are not said to be of all.
    await until(async () => (await scope()) === 'all');
    await observed.close();
  });

  test('each change is logged once, however many requests there are', async () => {
    const observed = await openObserved(url);
    await observed.limiter.consume('ada', rule);
    expect(observed.warnings).toEqual([]);
    await proxy!.set('down');
    await until(async () => {
      await Promise.all(Array.from({ length: 100 }, () => observed.limiter.consume('ada', rule)));
      return observed.warnings.length >= 2;
    });
    await Promise.all(Array.from({ length: 500 }, () => observed.limiter.consume('ada', rule)));
    expect(observed.warnings).toEqual([isAway, isAlone]);
    expect(observed.fallbacks).toEqual([true]);
    await proxy!.set('pass');
    await observed.untilHere();
    await Promise.all(Array.from({ length: 500 }, () => observed.limiter.consume('ada', rule)));
    expect(observed.warnings).toEqual([isAway, isAlone, isBack, isTogether]);
    expect(observed.fallbacks).toEqual([true, false]);
    await observed.close();
  });

  test('the cause is logged before its consequence, even for a request at the moment Redis goes away', async () => {
    const observed = await openObserved(url);
    proxy!.dropAll();
    while (observed.warnings.length < 2) {
      await new Promise(setImmediate);
      void observed.limiter.consume('ada', rule);
    }
    expect(observed.warnings).toEqual([isAway, isAlone]);
    await observed.close();
  });

  test('this process counts with the full limit, and afterwards what Redis had counted still counts', async () => {
    await server!.flush();
    const observed = await openObserved(url);
    const three: LimitRule = { allowed: 3, windowSeconds: 3600 };
    const take = async () => (await observed.limiter.consume('ada', three)).admitted;
    expect([await take(), await take()]).toEqual([true, true]);
    await proxy!.set('down');
    await observed.untilAway();
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, false]);
    await proxy!.set('pass');
    await observed.untilHere();
    expect([await take(), await take()]).toEqual([true, false]);
    await observed.close();
  });

  // A thousand waits of 200 ms each would exceed the test's timeout.
  test('no request waits for a Redis that is known to hang', async () => {
    const observed = await openObserved(url, commandTimeoutMs);
    await proxy!.set('hang');
    await observed.limiter.consume('ada', rule);
    for (let i = 0; i < 1000; i++) {
      await observed.limiter.consume('ada', rule);
      await observed.bodies.get(`unknown ${i}`);
    }
    await observed.close();
    expect(observed.fallbacks).toEqual([true]);
  });

  test('a service starts, works, and uses Redis as soon as it is there', async () => {
    await server!.control!.stop();
    const observed = await openObserved(url);
    expect(observed.warnings).toEqual([isAway]);
    expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
    await observed.bodies.set('greeting', new Uint8Array(3));
    expect(await observed.bodies.get('greeting')).toBeUndefined();
    await expect(observed.redis.probe.check()).rejects.toBeInstanceOf(RedisAway);
    expect(observed.redis.probe).toMatchObject({ name: 'redis', essential: false });
    await server!.control!.start();
    await observed.untilHere();
    expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
    expect(await observed.redis.client.exists(limitKey('ada'))).toBe(1);
    await observed.close();
  });

  test('a service starts although Redis hangs', async () => {
    await server!.control!.pause();
    const observed = await openObserved(url, commandTimeoutMs);
    expect((await observed.limiter.consume('ada', rule)).admitted).toBe(true);
    expect(observed.warnings).toEqual([isAway, isAlone]);
    await server!.control!.resume();
    await observed.untilHere();
    await observed.close();
  });

  test('an unanswered request is not sent again, and is decided as soon as the connection ends', async () => {
    await server!.flush();
    const observed = await openObserved(url, endlessMs);
    await observed.limiter.consume('ada', rule);
    await proxy!.set('hang');
    const underWay = observed.limiter.consume('ada', rule);
    // Then it has been sent.
    await new Promise(setImmediate);
    await proxy!.set('reset');
    expect((await underWay).remaining).toBe(999);
    await proxy!.set('pass');
    await observed.untilHere();
    expect((await observed.limiter.peek('ada', rule)).remaining).toBe(999);
    await observed.close();
  });

  test('a primary that became a replica is dropped, retried with backoff, and used once it accepts writes', async () => {
    const observed = await openObserved(url);
    const pausesMs: number[] = [];
    observed.redis.client.on('reconnecting', (pauseMs: number) => pausesMs.push(pauseMs));
    const operator = new Redis(server!.url);
    await operator.replicaof('127.0.0.1', 1);
    expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
    await until(() => pausesMs.some((pauseMs) => pauseMs >= 2 * backOffMinMs));
    const isReplica = saying(/^Redis at 127\.0\.0\.1:\d+ is away: READONLY /);
    expect(observed.warnings).toEqual([isReplica, isAlone]);
    await operator.replicaof('NO', 'ONE');
    operator.disconnect();
    await observed.untilHere();
    await observed.limiter.consume('ada', rule);
    expect(observed.warnings).toEqual([isReplica, isAlone, isBack, isTogether]);
    expect(observed.fallbacks).toEqual([true, false]);
    await observed.close();
  });

  test('a Redis that goes away while idle is logged, and retried soon each time', async () => {
    const observed = await openObserved(url);
    const pausesMs: number[] = [];
    observed.redis.client.on('reconnecting', (pauseMs: number) => pausesMs.push(pauseMs));
    for (let time = 1; time <= 3; time++) {
      proxy!.dropAll();
      await until(() => observed.warnings.length === 2 * time);
    }
    await observed.close();
    expect(observed.warnings).toEqual([isAway, isBack, isAway, isBack, isAway, isBack]);
    expect(pausesMs).toHaveLength(3);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(1.25 * backOffMinMs);
  });

  test('a process that stalled while Redis answered takes the answer', async () => {
    await server!.flush();
    const observed = await openObserved(server!.url, commandTimeoutMs);
    for (let counted = 1; counted <= 5; counted++) {
      const taken = observed.limiter.consume('ada', rule);
      // Then it has been sent.
      await new Promise(setImmediate);
      standStill(1_000);
      expect((await taken).remaining).toBe(1000 - counted);
    }
    expect(observed.warnings).toEqual([]);
    expect(observed.fallbacks).toEqual([]);
    await observed.close();
  });

  test('an overdue reply costs only its own request, and the others wait for theirs', async () => {
    await server!.flush();
    const observed = await openObserved(url, bearableMs);
    const once: LimitRule = { allowed: 1, windowSeconds: 3600 };
    const take = async (name: string) => (await observed.limiter.consume(name, once)).admitted;
    expect([await take('ada'), await take('bob')]).toEqual([true, true]);
    await proxy!.set('hang');
    expect(await take('ada')).toBe(true);
    expect(observed.fallbacks).toEqual([true]);
    // Sent while it is uncertain whether Redis is away; this process alone would admit one of them.
    const others = Promise.all(Array.from({ length: 20 }, () => take('bob')));
    await proxy!.set('pass');
    expect(await others).not.toContain(true);
    expect(observed.fallbacks).toEqual([true, false]);
    expect(observed.warnings).toEqual([isAway, isAlone, isBack, isTogether]);
    await observed.close();
  });

  test('an answer from before the fallback began does not end it', async () => {
    await server!.flush();
    const observed = await openObserved(url);
    await proxy!.set({ latencyMs: 600 });
    const nonsense = observed.redis.ask(async (client) => {
      await client.ping();
      throw new Error('not what was asked for');
    });
    await sleep(300);
    // Under way while the reply that makes no sense arrives.
    const before = observed.limiter.consume('ada', rule);
    await expect(nonsense).rejects.toBeInstanceOf(RedisAway);
    await observed.limiter.consume('bob', rule);
    expect(observed.fallbacks).toEqual([true]);
    expect((await before).admitted).toBe(true);
    expect(observed.fallbacks).toEqual([true]);
    await proxy!.set('pass');
    await observed.untilHere();
    await observed.limiter.consume('ada', rule);
    expect(observed.fallbacks).toEqual([true, false]);
    expect((await observed.limiter.peek('ada', rule)).remaining).toBe(998);
    await observed.close();
  });

  test('the fallback begins after a fraction of a second of running time', async () => {
    const observed = await openObserved(server!.url, commandTimeoutMs);
    await server!.control!.pause();
    let turnsMs = 0;
    let isDecided = false;
    const decided = observed.limiter.consume('ada', rule).then(() => (isDecided = true));
    while (!isDecided) {
      await sleep(10);
      turnsMs += 10;
    }
    await decided;
    await server!.control!.resume();
    await observed.close();
    expect(observed.fallbacks).toEqual([true]);
    expect(turnsMs).toBeLessThanOrEqual(2 * commandTimeoutMs);
  });

  test('a connection can be closed in any state, and logs nothing afterwards', async () => {
    const running = await openObserved(url);
    await running.close();
    await running.close();
    await expect(running.redis.ask((client) => client.ping())).rejects.toBeInstanceOf(RedisAway);
    const hanging = await openObserved(url);
    await proxy!.set('hang');
    const pending = hanging.limiter.consume('ada', rule);
    await hanging.close();
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
  expect(await observed.bodies.get('greeting')).toBeUndefined();
  await observed.close();
  await standIn.close();
});

test('a server that answers PING wrongly is not a Redis (a stand-in that replies OK to everything)', async () => {
  const standIn = await startStandIn('+OK');
  const observed = await openObserved(`redis://${standIn.host}`);
  const pausesMs: number[] = [];
  observed.redis.client.on('reconnecting', (pauseMs: number) => pausesMs.push(pauseMs));
  expect(observed.warnings).toEqual([`Redis at ${standIn.host} is away: it did not answer PING with PONG`]);
  expect((await observed.limiter.consume('ada', rule)).remaining).toBe(999);
  expect(observed.fallbacks).toEqual([true]);
  // It accepts connections, which is no reason to retry more often.
  await until(() => pausesMs.some((pauseMs) => pauseMs >= 2 * backOffMinMs));
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
