import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { recordLog, type RecordedLog } from '@portico/contracts';
import { startRedis, stopTime, type StoppedTime } from '@portico/test-servers';
import type { JobId, JobQueue } from '@portico/domain';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { concurrencyOf, createJobSource, newIds, noFallback } from '../test/job-source.ts';
import { passInRedis } from '../test/redis-time.ts';
import { createBullmqJobQueue, type BullmqJobQueue } from './bullmq-job-queue.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The number of steps in ten minutes. */
const stepsMax = 60_000;
const stepMs = 10;

const redis = await startRedis({ args: ['--timeout', '0'] });
afterAll(() => redis?.close());

describe.skipIf(!redis?.control)('the job queue on a Redis that fails', () => {
  const control = redis?.control;
  if (!redis || !control) return;
  let time: StoppedTime;
  let log: RecordedLog;
  const warnings = () => log.messages();
  let queues: BullmqJobQueue[];
  /** The jobs that were offered to the fallback. */
  let fallbackIds: JobId[];
  const fallback: JobQueue = { ...noFallback, offer: (_kind, ids) => void fallbackIds.push(...ids) };
  const create = ({ work = true, url = redis.url, queueFallback = noFallback } = {}): BullmqJobQueue => {
    const queue = createBullmqJobQueue({
      url,
      installation: 'here',
      concurrency: concurrencyOf(3),
      work,
      fallback: queueFallback,
      log,
    });
    queues.push(queue);
    return queue;
  };
  let outage: 'stopped' | 'hung' | null = null;
  const startOutage = async (how: 'stopped' | 'hung'): Promise<void> => {
    outage = how;
    await (how === 'stopped' ? control.stop('immediate') : control.pause());
  };
  const endOutage = async (): Promise<void> => {
    if (outage === 'stopped') await control.start();
    if (outage === 'hung') await control.resume();
    outage = null;
  };
  const untilRecovered = () =>
    time.advanceUntilSuccess(() => expect(warnings().at(-1)).toMatch(/ accepts jobs again$/));
  const queryRedis = async <T>(query: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(redis.url);
    try {
      return await query(client);
    } finally {
      client.disconnect();
    }
  };
  const jobsInRedis = () =>
    queryRedis(async (client) => (await client.keys('{portico:here}:jobs:1:*:????????-*')).length);

  beforeEach(async () => {
    time = stopTime(vi);
    log = recordLog();
    queues = [];
    fallbackIds = [];
    await redis.flush();
  });
  afterEach(async () => {
    await endOutage();
    await time.advanceUntil(Promise.all(queues.map((queue) => queue.stop())));
    time.restore();
  });

  /** Lets time pass, in Redis as well, until the condition is true. */
  const passUntil = async (condition: () => boolean): Promise<void> => {
    for (let steps = 1; !condition(); steps++) {
      if (steps === stepsMax) throw new Error('The condition never became true');
      await time.advance(stepMs);
      if ((steps * stepMs) % 1_000 === 0) await queryRedis((client) => passInRedis(client, 1_000));
    }
  };
  const passBySeconds = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) await time.advance(1_000);
  };

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'is emptied': () => redis.flush(),
    'is killed and restarts empty': async () => {
      await startOutage('stopped');
      await time.advance(500);
      await endOutage();
    },
    'hangs for a while': async () => {
      await startOutage('hung');
      await passBySeconds(8);
      await endOutage();
    },
  };

  for (const [name, fault] of Object.entries(faults)) {
    test(`no job is lost when Redis ${name} under load`, async () => {
      const source = createJobSource(300);
      const workers = [create(), create()];
      const relays = workers.map((worker) => {
        worker.start((id) => source.work(id));
        return source.relayTo(worker);
      });
      await passUntil(() => source.remaining < 250);
      expect(source.remaining).toBeGreaterThan(0);
      await fault();
      await passUntil(() => source.remaining === 0);
      for (const relay of relays) relay.end();
      await time.advanceUntilSuccess(async () => expect(await jobsInRedis()).toBe(0));
    });
  }

  test('a processed job is removed from Redis, even if it fails', async () => {
    const queue = create();
    let processed = 0;
    queue.start(async () => {
      processed += 1;
      if (processed % 2) throw new Error('failed');
    });
    queue.offer('embed', newIds(20));
    await time.pollInRealTime(() => expect(processed).toBeGreaterThanOrEqual(20));
    await time.pollInRealTime(async () => expect(await jobsInRedis()).toBe(0));
    expect(warnings()).toEqual([]);
  });

  test('Redis receives only the ids of jobs', async () => {
    const queue = create({ work: false });
    const [id = '' as JobId] = newIds(1);
    queue.offer('embed', [id]);
    const key = `{portico:here}:jobs:1:embed:${id}`;
    await time.pollInRealTime(async () => expect(await queryRedis((client) => client.exists(key))).toBe(1));
    expect(await queryRedis((client) => client.hget(key, 'data'))).toBe('{}');
  });

  test('a process that processes no jobs sends them to other processes', async () => {
    const [producer, worker] = [create({ work: false }), create()];
    const workedBy: string[] = [];
    producer.start(async () => void workedBy.push('producer'));
    worker.start(async () => void workedBy.push('worker'));
    producer.offer('embed', newIds(10));
    await time.pollInRealTime(() => expect(workedBy).toHaveLength(10));
    expect(new Set(workedBy)).toEqual(new Set(['worker']));
  });

  test('a stopped queue starts no more jobs, not even those already in transit from Redis', async () => {
    for (let round = 0; round < 40; round++) {
      const queue = create();
      let started = 0;
      queue.start(async () => void (started += 1));
      queue.offer('embed', newIds(200));
      await time.pollInRealTime(() => expect(started).toBeGreaterThan(round));
      const stopping = queue.stop();
      const startedAtStop = started;
      await stopping;
      expect(started).toBe(startedAtStop);
    }
  });

  test('a queue that started without Redis works as soon as Redis is available', async () => {
    await startOutage('stopped');
    const queue = create();
    const source = createJobSource(20);
    queue.start((id) => source.work(id));
    const relay = source.relayTo(queue);
    await time.pollInRealTime(() => expect(warnings()).toHaveLength(1));
    await endOutage();
    await passUntil(() => source.remaining === 0);
    relay.end();
  });

  test('a check right after the start waits for the connection', async () => {
    await create({ work: false }).probe.check();
  });

  test('an outage is logged once when it begins and once when it ends', async () => {
    const queue = create();
    queue.start(async () => undefined);
    await queue.probe.check();
    await startOutage('stopped');
    for (let offers = 0; offers < 20; offers++) {
      queue.offer('embed', newIds(3));
      await time.advance(50);
    }
    await time.advanceUntil(expect(queue.probe.check()).rejects.toThrow());
    await endOutage();
    await untilRecovered();
    const host = new URL(redis.url).host;
    expect(warnings()).toEqual([
      expect.stringMatching(new RegExp(`^Redis at ${host} accepts no jobs; they are worked without it: .+$`)),
      `Redis at ${host} accepts jobs again`,
    ]);
  });

  const outages: Readonly<Record<string, () => Promise<void>>> = {
    'is down': () => startOutage('stopped'),
    hangs: () => startOutage('hung'),
  };

  for (const [name, begin] of Object.entries(outages)) {
    test(`offers while Redis ${name} return immediately, take no memory and leave nothing behind`, async () => {
      const queue = create({ work: false });
      // Once Redis has accepted a job, no proof is in flight. If one were and failed, offers would wait for the next
      // proof.
      queue.offer('embed', newIds(1));
      await time.pollInRealTime(async () => expect(await jobsInRedis()).toBe(1));
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      await begin();
      const offerMany = async () => {
        for (let offers = 0; offers < 200; offers++) {
          queue.offer('embed', newIds(500));
          await new Promise(setImmediate);
        }
      };
      queue.offer('embed', newIds(10));
      await time.advance(50);
      await offerMany();
      await time.advanceUntilSuccess(() => expect(warnings()).toHaveLength(1));
      await offerMany();
      collectGarbage();
      // The ids alone would take up 16 MB.
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
      await endOutage();
      await untilRecovered();
      const [last = '' as JobId] = newIds(1);
      queue.offer('embed', [last]);
      const countOfLast = () => queryRedis((client) => client.exists(`{portico:here}:jobs:1:embed:${last}`));
      await time.pollInRealTime(async () => expect(await countOfLast()).toBe(1));
      // The last job, the first job, and the jobs in flight when the outage began.
      expect(await jobsInRedis()).toBeLessThanOrEqual(12);
    });

    test(`a stop completes while Redis ${name}, after the running jobs`, async () => {
      const queue = create();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      let started = 0;
      queue.start(async () => {
        started += 1;
        await promise;
      });
      queue.offer('embed', newIds(10));
      await time.pollInRealTime(() => expect(started).toBe(3));
      await begin();
      await time.advance(500);
      let stopped = false;
      const stopping = queue.stop().then(() => (stopped = true));
      await passBySeconds(3);
      expect(stopped).toBe(false);
      resolve(undefined);
      await time.advanceUntil(stopping);
      expect(started).toBe(3);
    });

    test(`a queue that started while Redis ${name} can be stopped`, async () => {
      await begin();
      const queue = create();
      queue.start(async () => undefined);
      queue.offer('embed', newIds(10));
      await time.advance(500);
      await time.advanceUntil(queue.stop());
    });
  }

  test('jobs are processed again after Redis hung for longer than any timeout', async () => {
    const queue = create();
    const source = createJobSource(10);
    queue.start((id) => source.work(id));
    await queue.probe.check();
    await time.advance(500);
    await startOutage('hung');
    const relay = source.relayTo(queue);
    await passBySeconds(25);
    await endOutage();
    await passUntil(() => source.remaining === 0);
    relay.end();
  });

  test('the jobs of a worker that hangs are given to another once their lease expires', async () => {
    const [stalled, other] = [create(), create()];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let started = 0;
    stalled.start(async () => {
      started += 1;
      await promise;
    });
    stalled.offer('embed', newIds(3));
    await time.pollInRealTime(() => expect(started).toBe(3));
    let received = 0;
    other.start(async () => void (received += 1));
    const startedAt = Date.now();
    await passUntil(() => received === 3);
    expect(Date.now() - startedAt).toBeGreaterThan(15_000);
    resolve(undefined);
  });

  test('jobs that a Redis out of memory rejects go to the fallback, and that is logged once', async () => {
    const queue = create({ work: false, queueFallback: fallback });
    await queue.probe.check();
    await queryRedis((client) => client.config('SET', 'maxmemory', '1'));
    const [rejected, accepted] = [newIds(3), newIds(3)];
    queue.offer('embed', rejected);
    await time.pollInRealTime(() => expect(warnings()).toHaveLength(1));
    expect(fallbackIds).toEqual(rejected);
    for (let offers = 0; offers < 4; offers++) {
      queue.offer('embed', newIds(3));
      await time.advance(50);
    }
    expect(warnings()).toEqual([expect.stringContaining('OOM')]);
    expect(queue.probe.inFallback?.()).toBe(true);
    await time.advanceUntil(expect(queue.probe.check()).rejects.toThrow('OOM'));
    fallbackIds = [];
    await queryRedis((client) => client.config('SET', 'maxmemory', '0'));
    queue.offer('embed', accepted);
    const countOf = (ids: readonly JobId[]) =>
      queryRedis((client) => client.exists(ids.map((id) => `{portico:here}:jobs:1:embed:${id}`)));
    await time.pollInRealTime(async () => expect(await countOf(accepted)).toBe(3));
    expect(await countOf(rejected)).toBe(0);
    // The jobs are visible in Redis before the producer receives the reply.
    await time.pollInRealTime(() => expect(warnings()).toHaveLength(2));
    expect(warnings()).toEqual([expect.stringContaining('OOM'), expect.stringMatching(/ accepts jobs again$/)]);
    expect([queue.probe.inFallback?.(), fallbackIds]).toEqual([false, []]);
  });

  test('jobs go to the fallback only while Redis accepts jobs but does not deliver them', async () => {
    await redis.send('ACL', 'SETUSER', 'default', '-bzpopmin');
    const queue = create({ queueFallback: fallback });
    const processed: JobId[] = [];
    queue.start(async (id) => void processed.push(id));
    const [first, second] = [newIds(3), newIds(3)];
    queue.offer('embed', first);
    await time.advanceUntilSuccess(() => expect(warnings()).toContainEqual(expect.stringContaining('NOPERM')));
    queue.offer('embed', first);
    await time.pollInRealTime(() => expect(fallbackIds).toEqual(expect.arrayContaining([...first])));
    await redis.send('ACL', 'SETUSER', 'default', '+@all');
    // The relay calls `offer` even if no job is due.
    queue.offer('embed', []);
    await untilRecovered();
    queue.offer('embed', second);
    await time.advanceUntilSuccess(() => expect(processed).toEqual(expect.arrayContaining([...second])));
  });

  test('the queue works without permission for INFO, and prints nothing to the console', async () => {
    const consoleWarn = vi.spyOn(console, 'warn');
    await redis.send('ACL', 'SETUSER', 'default', '-info');
    try {
      const queue = create();
      const source = createJobSource(5);
      queue.start((id) => source.work(id));
      const relay = source.relayTo(queue);
      await passUntil(() => source.remaining === 0);
      relay.end();
      expect([consoleWarn.mock.calls, warnings()]).toEqual([[], []]);
    } finally {
      consoleWarn.mockRestore();
      await redis.send('ACL', 'SETUSER', 'default', '+@all');
    }
  });

  test('a refused password is not revealed', async () => {
    await queryRedis((client) => client.config('SET', 'requirepass', 'right'));
    try {
      const url = redis.url.replace('redis://', 'redis://:very-secret-word@');
      const queue = create({ url });
      queue.start(async () => undefined);
      await time.pollInRealTime(() => expect(warnings()).not.toEqual([]));
      await time.advanceUntil(expect(queue.probe.check()).rejects.toThrow(/^(?!.*very-secret-word)/s));
      expect(warnings().join('\n')).not.toContain('very-secret-word');
    } finally {
      const client = new Redis(redis.url, { password: 'right' });
      await client.config('SET', 'requirepass', '');
      client.disconnect();
    }
  });

  test('a password that the server quotes, because AUTH was renamed, is not logged', async () => {
    const password = 'very-secret-word';
    const args = ['--rename-command', 'AUTH', 'XAUTH', '--rename-command', 'HELLO', ''];
    const server = await startRedis({ password, args });
    const queue = create({ url: server!.url });
    queue.start(async () => undefined);
    await time.pollInRealTime(() => expect(warnings()).toEqual([expect.stringContaining('unknown command')]));
    expect(warnings()[0]).not.toContain(password);
    await time.advanceUntil(queue.stop());
    await server!.close();
  });
});
