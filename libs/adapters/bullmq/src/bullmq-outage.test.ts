import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { recordLog, type RecordedLog } from '@portico/contracts';
import { startRedis, stopTime, type StoppedTime } from '@portico/test-servers';
import type { JobId, JobQueue } from '@portico/domain';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { concurrencyOf, createJobSource, createIds, noFallback } from '../test/job-source.ts';
import { advanceRedisTime } from '../test/redis-time.ts';
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
  const listWarnings = () => log.messages();
  let queues: BullmqJobQueue[];
  /** The jobs that were offered to the fallback. */
  let fallbackIds: JobId[];
  const fallback: JobQueue = { ...noFallback, offer: (_kind, ids) => void fallbackIds.push(...ids) };
  const create = ({ isWorker = true, url = redis.url, queueFallback = noFallback } = {}): BullmqJobQueue => {
    const queue = createBullmqJobQueue({
      url,
      installation: 'here',
      concurrency: concurrencyOf(3),
      isWorker,
      fallback: queueFallback,
      log,
    });
    queues.push(queue);
    return queue;
  };
  let outage: 'stopped' | 'hung' | null = null;
  const startOutage = async (mode: 'stopped' | 'hung'): Promise<void> => {
    outage = mode;
    await (mode === 'stopped' ? control.stop('immediate') : control.pause());
  };
  const endOutage = async (): Promise<void> => {
    if (outage === 'stopped') await control.start();
    if (outage === 'hung') await control.resume();
    outage = null;
  };
  const waitForRecovery = () =>
    time.advanceUntilSuccess(() => expect(listWarnings().at(-1)).toMatch(/ accepts jobs again$/));
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
  const advanceUntil = async (condition: () => boolean): Promise<void> => {
    for (let steps = 1; !condition(); steps++) {
      if (steps === stepsMax) throw new Error('The condition never became true');
      await time.advance(stepMs);
      if ((steps * stepMs) % 1_000 === 0) await queryRedis((client) => advanceRedisTime(client, 1_000));
    }
  };
  const advanceBySeconds = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) await time.advance(1_000);
  };

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'is flushed': () => redis.flush(),
    'is killed and restarts empty': async () => {
      await startOutage('stopped');
      await time.advance(500);
      await endOutage();
    },
    'hangs for a while': async () => {
      await startOutage('hung');
      await advanceBySeconds(8);
      await endOutage();
    },
  };

  for (const [name, fault] of Object.entries(faults)) {
    test(`no job is lost when Redis ${name} under load`, async () => {
      const source = createJobSource(300);
      const workers = [create(), create()];
      const relays = workers.map((worker) => {
        worker.start((id) => source.process(id));
        return source.relayTo(worker);
      });
      await advanceUntil(() => source.remainingCount < 250);
      expect(source.remainingCount).toBeGreaterThan(0);
      await fault();
      await advanceUntil(() => source.remainingCount === 0);
      for (const relay of relays) relay.end();
      await time.advanceUntilSuccess(async () => expect(await jobsInRedis()).toBe(0));
    });
  }

  test('a processed job is removed from Redis, even if it fails', async () => {
    const queue = create();
    let processedCount = 0;
    queue.start(async () => {
      processedCount += 1;
      if (processedCount % 2) throw new Error('failed');
    });
    queue.offer('embed', createIds(20));
    await time.pollInRealTime(() => expect(processedCount).toBeGreaterThanOrEqual(20));
    await time.pollInRealTime(async () => expect(await jobsInRedis()).toBe(0));
    expect(listWarnings()).toEqual([]);
  });

  test('Redis receives only the ids of jobs', async () => {
    const queue = create({ isWorker: false });
    const [id = '' as JobId] = createIds(1);
    queue.offer('embed', [id]);
    const key = `{portico:here}:jobs:1:embed:${id}`;
    await time.pollInRealTime(async () => expect(await queryRedis((client) => client.exists(key))).toBe(1));
    expect(await queryRedis((client) => client.hget(key, 'data'))).toBe('{}');
  });

  test('a process that processes no jobs sends them to other processes', async () => {
    const [producer, worker] = [create({ isWorker: false }), create()];
    const workerNames: string[] = [];
    producer.start(async () => void workerNames.push('producer'));
    worker.start(async () => void workerNames.push('worker'));
    producer.offer('embed', createIds(10));
    await time.pollInRealTime(() => expect(workerNames).toHaveLength(10));
    expect(new Set(workerNames)).toEqual(new Set(['worker']));
  });

  test('a stopped queue starts no more jobs, even if Redis has already sent them', async () => {
    for (let round = 0; round < 40; round++) {
      const queue = create();
      let startedCount = 0;
      queue.start(async () => void (startedCount += 1));
      queue.offer('embed', createIds(200));
      await time.pollInRealTime(() => expect(startedCount).toBeGreaterThan(round));
      const stopping = queue.stop();
      const startedCountAtStop = startedCount;
      await stopping;
      expect(startedCount).toBe(startedCountAtStop);
    }
  });

  test('a queue that was started without Redis works once Redis is available', async () => {
    await startOutage('stopped');
    const queue = create();
    const source = createJobSource(20);
    queue.start((id) => source.process(id));
    const relay = source.relayTo(queue);
    await time.pollInRealTime(() => expect(listWarnings()).toHaveLength(1));
    await endOutage();
    await advanceUntil(() => source.remainingCount === 0);
    relay.end();
  });

  test('a check right after the start waits for the connection', async () => {
    await create({ isWorker: false }).probe.check();
  });

  test('an outage is logged once when it begins and once when it ends', async () => {
    const queue = create();
    queue.start(async () => undefined);
    await queue.probe.check();
    await startOutage('stopped');
    for (let count = 0; count < 20; count++) {
      queue.offer('embed', createIds(3));
      await time.advance(50);
    }
    await time.advanceUntil(expect(queue.probe.check()).rejects.toThrow());
    await endOutage();
    await waitForRecovery();
    const host = new URL(redis.url).host;
    expect(listWarnings()).toEqual([
      expect.stringMatching(new RegExp(`^Redis at ${host} accepts no jobs; processing them without Redis: .+$`)),
      `Redis at ${host} accepts jobs again`,
    ]);
  });

  const outages: Readonly<Record<string, () => Promise<void>>> = {
    'is down': () => startOutage('stopped'),
    hangs: () => startOutage('hung'),
  };

  for (const [name, begin] of Object.entries(outages)) {
    test(`offering jobs while Redis ${name} returns immediately, uses no memory and leaves nothing behind`, async () => {
      const queue = create({ isWorker: false });
      // Once Redis has accepted a job, no proof is in flight. If one were and failed, offers would wait for the next
      // proof.
      queue.offer('embed', createIds(1));
      await time.pollInRealTime(async () => expect(await jobsInRedis()).toBe(1));
      collectGarbage();
      const heapUsedBefore = process.memoryUsage().heapUsed;
      await begin();
      const offerMany = async () => {
        for (let count = 0; count < 200; count++) {
          queue.offer('embed', createIds(500));
          await new Promise(setImmediate);
        }
      };
      queue.offer('embed', createIds(10));
      await time.advance(50);
      await offerMany();
      await time.advanceUntilSuccess(() => expect(listWarnings()).toHaveLength(1));
      await offerMany();
      collectGarbage();
      // The ids alone would take up 16 MB.
      expect(process.memoryUsage().heapUsed - heapUsedBefore).toBeLessThan(8_000_000);
      await endOutage();
      await waitForRecovery();
      const [lastId = '' as JobId] = createIds(1);
      queue.offer('embed', [lastId]);
      const countOfLast = () => queryRedis((client) => client.exists(`{portico:here}:jobs:1:embed:${lastId}`));
      await time.pollInRealTime(async () => expect(await countOfLast()).toBe(1));
      // The last job, the first job, and the jobs in flight when the outage began.
      expect(await jobsInRedis()).toBeLessThanOrEqual(12);
    });

    test(`stopping while Redis ${name} waits only for the running jobs`, async () => {
      const queue = create();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      let startedCount = 0;
      queue.start(async () => {
        startedCount += 1;
        await promise;
      });
      queue.offer('embed', createIds(10));
      await time.pollInRealTime(() => expect(startedCount).toBe(3));
      await begin();
      await time.advance(500);
      let isStopped = false;
      const pendingStop = queue.stop().then(() => (isStopped = true));
      await advanceBySeconds(3);
      expect(isStopped).toBe(false);
      resolve(undefined);
      await time.advanceUntil(pendingStop);
      expect(startedCount).toBe(3);
    });

    test(`a queue that started while Redis ${name} can be stopped`, async () => {
      await begin();
      const queue = create();
      queue.start(async () => undefined);
      queue.offer('embed', createIds(10));
      await time.advance(500);
      await time.advanceUntil(queue.stop());
    });
  }

  test('jobs are processed again after Redis hung for longer than any timeout', async () => {
    const queue = create();
    const source = createJobSource(10);
    queue.start((id) => source.process(id));
    await queue.probe.check();
    await time.advance(500);
    await startOutage('hung');
    const relay = source.relayTo(queue);
    await advanceBySeconds(25);
    await endOutage();
    await advanceUntil(() => source.remainingCount === 0);
    relay.end();
  });

  test('the jobs of a worker that hangs are delivered to a different worker once their lease expires', async () => {
    const [stalledQueue, otherQueue] = [create(), create()];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let startedCount = 0;
    stalledQueue.start(async () => {
      startedCount += 1;
      await promise;
    });
    stalledQueue.offer('embed', createIds(3));
    await time.pollInRealTime(() => expect(startedCount).toBe(3));
    let receivedCount = 0;
    otherQueue.start(async () => void (receivedCount += 1));
    const startedAt = Date.now();
    await advanceUntil(() => receivedCount === 3);
    expect(Date.now() - startedAt).toBeGreaterThan(15_000);
    resolve(undefined);
  });

  test('jobs that Redis rejects because it is out of memory go to the fallback, which is logged once', async () => {
    const queue = create({ isWorker: false, queueFallback: fallback });
    await queue.probe.check();
    await queryRedis((client) => client.config('SET', 'maxmemory', '1'));
    const [rejectedIds, acceptedIds] = [createIds(3), createIds(3)];
    queue.offer('embed', rejectedIds);
    await time.pollInRealTime(() => expect(listWarnings()).toHaveLength(1));
    expect(fallbackIds).toEqual(rejectedIds);
    for (let count = 0; count < 4; count++) {
      queue.offer('embed', createIds(3));
      await time.advance(50);
    }
    expect(listWarnings()).toEqual([expect.stringContaining('OOM')]);
    expect(queue.probe.inFallback?.()).toBe(true);
    await time.advanceUntil(expect(queue.probe.check()).rejects.toThrow('OOM'));
    fallbackIds = [];
    await queryRedis((client) => client.config('SET', 'maxmemory', '0'));
    queue.offer('embed', acceptedIds);
    const countOf = (ids: readonly JobId[]) =>
      queryRedis((client) => client.exists(ids.map((id) => `{portico:here}:jobs:1:embed:${id}`)));
    await time.pollInRealTime(async () => expect(await countOf(acceptedIds)).toBe(3));
    expect(await countOf(rejectedIds)).toBe(0);
    // The jobs are visible in Redis before the producer receives the reply.
    await time.pollInRealTime(() => expect(listWarnings()).toHaveLength(2));
    expect(listWarnings()).toEqual([expect.stringContaining('OOM'), expect.stringMatching(/ accepts jobs again$/)]);
    expect([queue.probe.inFallback?.(), fallbackIds]).toEqual([false, []]);
  });

  test('jobs go to the fallback while Redis accepts jobs but does not deliver them, and to Redis afterwards', async () => {
    await redis.send('ACL', 'SETUSER', 'default', '-bzpopmin');
    const queue = create({ queueFallback: fallback });
    const processedIds: JobId[] = [];
    queue.start(async (id) => void processedIds.push(id));
    const [firstIds, secondIds] = [createIds(3), createIds(3)];
    queue.offer('embed', firstIds);
    await time.advanceUntilSuccess(() => expect(listWarnings()).toContainEqual(expect.stringContaining('NOPERM')));
    queue.offer('embed', firstIds);
    await time.pollInRealTime(() => expect(fallbackIds).toEqual(expect.arrayContaining([...firstIds])));
    await redis.send('ACL', 'SETUSER', 'default', '+@all');
    // The relay calls `offer` even if no job is due.
    queue.offer('embed', []);
    await waitForRecovery();
    queue.offer('embed', secondIds);
    await time.advanceUntilSuccess(() => expect(processedIds).toEqual(expect.arrayContaining([...secondIds])));
  });

  test('the queue works without permission for INFO, and prints nothing to the console', async () => {
    const consoleWarn = vi.spyOn(console, 'warn');
    await redis.send('ACL', 'SETUSER', 'default', '-info');
    try {
      const queue = create();
      const source = createJobSource(5);
      queue.start((id) => source.process(id));
      const relay = source.relayTo(queue);
      await advanceUntil(() => source.remainingCount === 0);
      relay.end();
      expect([consoleWarn.mock.calls, listWarnings()]).toEqual([[], []]);
    } finally {
      consoleWarn.mockRestore();
      await redis.send('ACL', 'SETUSER', 'default', '+@all');
    }
  });

  test('a rejected password is not revealed', async () => {
    await queryRedis((client) => client.config('SET', 'requirepass', 'right'));
    try {
      const url = redis.url.replace('redis://', 'redis://:very-secret-word@');
      const queue = create({ url });
      queue.start(async () => undefined);
      await time.pollInRealTime(() => expect(listWarnings()).not.toEqual([]));
      await time.advanceUntil(expect(queue.probe.check()).rejects.toThrow(/^(?!.*very-secret-word)/s));
      expect(listWarnings().join('\n')).not.toContain('very-secret-word');
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
    await time.pollInRealTime(() => expect(listWarnings()).toEqual([expect.stringContaining('unknown command')]));
    expect(listWarnings()[0]).not.toContain(password);
    await time.advanceUntil(queue.stop());
    await server!.close();
  });
});
