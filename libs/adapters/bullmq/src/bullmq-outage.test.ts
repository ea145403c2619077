import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { recordLog, type RecordedLog } from '@portico/contracts';
import { startRedis } from '@portico/test-servers';
import type { JobId } from '@portico/domain';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { atOnce, becomesTrue, createJobSource, newIds } from '../test/job-source.ts';
import { createBullmqJobQueue, type BullmqJobQueue } from './bullmq-job-queue.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const redis = await startRedis({ args: ['--timeout', '0'] });
afterAll(() => redis?.close());

describe.skipIf(!redis?.control)('the job queue on a Redis that fails', () => {
  const control = redis?.control;
  if (!redis || !control) return;
  let log: RecordedLog;
  const warnings = () => log.messages();
  let queues: BullmqJobQueue[];
  const create = ({ work = true, url = redis.url } = {}): BullmqJobQueue => {
    const queue = createBullmqJobQueue({
      url,
      concurrency: atOnce(3),
      work,
      log,
    });
    queues.push(queue);
    return queue;
  };
  const isReady = (queue: BullmqJobQueue) =>
    becomesTrue(() =>
      queue.probe.check().then(
        () => true,
        () => false,
      ),
    );
  let away: 'stopped' | 'hung' | null = null;
  const goAway = async (how: 'stopped' | 'hung'): Promise<void> => {
    away = how;
    await (how === 'stopped' ? control.stop('immediate') : control.pause());
  };
  const comeBack = async (): Promise<void> => {
    if (away === 'stopped') await control.start();
    if (away === 'hung') await control.resume();
    away = null;
  };
  const ask = async <T>(question: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(redis.url);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  };
  const jobsInRedis = () => ask(async (client) => (await client.keys('{portico}:*:????????-*')).length);

  beforeEach(async () => {
    log = recordLog();
    queues = [];
    await redis.flush();
  });
  afterEach(async () => {
    await comeBack();
    await Promise.all(queues.map((queue) => queue.stop()));
  });

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'is emptied': () => redis.flush(),
    'is killed and comes back empty': async () => {
      await goAway('stopped');
      await pause(500);
      await comeBack();
    },
    'hangs for a while': async () => {
      await goAway('hung');
      await pause(8_000);
      await comeBack();
    },
  };

  for (const [name, fault] of Object.entries(faults)) {
    test(`no job is lost when Redis ${name} under work`, { timeout: 150_000 }, async () => {
      const source = createJobSource(300);
      const workers = [create(), create()];
      const relays = workers.map((worker) => {
        worker.start((id) => source.work(id));
        return source.relayTo(worker);
      });
      await becomesTrue(() => source.left < 250);
      expect(source.left).toBeGreaterThan(0);
      await fault();
      expect(await becomesTrue(() => source.left === 0, 60_000)).toBe(true);
      for (const relay of relays) relay.end();
      expect(await becomesTrue(async () => (await jobsInRedis()) === 0)).toBe(true);
    });
  }

  test('a worked job leaves Redis, even if the work fails', async () => {
    const queue = create();
    let worked = 0;
    queue.start(async () => {
      worked += 1;
      if (worked % 2) throw new Error('failed');
    });
    queue.offer('embed', newIds(20));
    expect(await becomesTrue(() => worked >= 20)).toBe(true);
    expect(await becomesTrue(async () => (await jobsInRedis()) === 0)).toBe(true);
    expect(warnings()).toEqual([]);
  });

  test('Redis receives only the ids of jobs', async () => {
    const queue = create({ work: false });
    const [id = '' as JobId] = newIds(1);
    queue.offer('embed', [id]);
    const key = `{portico}:embed:${id}`;
    expect(await becomesTrue(() => ask(async (client) => (await client.exists(key)) === 1))).toBe(true);
    expect(await ask((client) => client.hget(key, 'data'))).toBe('{}');
  });

  test('a process that works no jobs hands them to those that do', async () => {
    const [producer, worker] = [create({ work: false }), create()];
    const workedBy: string[] = [];
    producer.start(async () => void workedBy.push('producer'));
    worker.start(async () => void workedBy.push('worker'));
    producer.offer('embed', newIds(10));
    expect(await becomesTrue(() => workedBy.length === 10)).toBe(true);
    expect(new Set(workedBy)).toEqual(new Set(['worker']));
  });

  test('a stopped queue starts no more jobs, not even those already on their way from Redis', async () => {
    for (let round = 0; round < 40; round++) {
      const queue = create();
      let begun = 0;
      queue.start(async () => void (begun += 1));
      queue.offer('embed', newIds(200));
      await becomesTrue(() => begun > round);
      const stopping = queue.stop();
      const begunAtStop = begun;
      await stopping;
      expect(begun).toBe(begunAtStop);
    }
  });

  test('a queue that started without Redis works as soon as there is one', async () => {
    await goAway('stopped');
    const queue = create();
    const source = createJobSource(20);
    queue.start((id) => source.work(id));
    const relay = source.relayTo(queue);
    expect(await becomesTrue(() => warnings().length > 0)).toBe(true);
    await comeBack();
    expect(await becomesTrue(() => source.left === 0)).toBe(true);
    relay.end();
  });

  test('a check right after the start waits for the connection', async () => {
    await create({ work: false }).probe.check();
  });

  test('an outage is logged once when it begins and once when it ends', async () => {
    const queue = create();
    queue.start(async () => undefined);
    expect(await isReady(queue)).toBe(true);
    await goAway('stopped');
    for (let offers = 0; offers < 20; offers++) {
      queue.offer('embed', newIds(3));
      await pause(50);
    }
    await expect(queue.probe.check()).rejects.toThrow();
    await comeBack();
    expect(await isReady(queue)).toBe(true);
    const place = new URL(redis.url).host;
    expect(warnings()).toEqual([
      expect.stringMatching(new RegExp(`^Redis at ${place} accepts no jobs; they wait in the outbox: .+$`)),
      `Redis at ${place} accepts jobs again`,
    ]);
  });

  const absences: Readonly<Record<string, () => Promise<void>>> = {
    'is away': () => goAway('stopped'),
    hangs: () => goAway('hung'),
  };

  for (const [name, begin] of Object.entries(absences)) {
    test(`offers while Redis ${name} return at once, cost no memory and leave nothing behind`, async () => {
      const queue = create({ work: false });
      expect(await isReady(queue)).toBe(true);
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      await begin();
      const offerMany = async () => {
        for (let offers = 0; offers < 200; offers++) {
          queue.offer('embed', newIds(500));
          await pause(1);
        }
      };
      queue.offer('embed', newIds(10));
      await pause(50);
      await offerMany();
      expect(await becomesTrue(() => warnings().length > 0)).toBe(true);
      await offerMany();
      collectGarbage();
      // The ids alone would take 16 MB.
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
      await comeBack();
      expect(await isReady(queue)).toBe(true);
      const [last = '' as JobId] = newIds(1);
      queue.offer('embed', [last]);
      const isThere = () => ask(async (client) => (await client.exists(`{portico}:embed:${last}`)) === 1);
      expect(await becomesTrue(isThere)).toBe(true);
      // That one, and those that were on their way when the outage began.
      expect(await jobsInRedis()).toBeLessThanOrEqual(11);
    });

    test(`a stop completes while Redis ${name}, after the jobs under way`, { timeout: 30_000 }, async () => {
      const queue = create();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      let began = 0;
      queue.start(async () => {
        began += 1;
        await promise;
      });
      queue.offer('embed', newIds(10));
      expect(await becomesTrue(() => began === 3)).toBe(true);
      await begin();
      await pause(500);
      let stopped = false;
      const stopping = queue.stop().then(() => (stopped = true));
      await pause(3_000);
      expect(stopped).toBe(false);
      resolve(undefined);
      expect(await Promise.race([stopping, pause(10_000, 'never')])).toBe(true);
      expect(began).toBe(3);
    });

    test(`a queue that started while Redis ${name} can be stopped`, { timeout: 30_000 }, async () => {
      await begin();
      const queue = create();
      queue.start(async () => undefined);
      queue.offer('embed', newIds(10));
      await pause(500);
      expect(await Promise.race([queue.stop().then(() => true), pause(10_000, 'never')])).toBe(true);
    });
  }

  test('jobs flow again after Redis hung for longer than any timeout', { timeout: 90_000 }, async () => {
    const queue = create();
    const source = createJobSource(10);
    queue.start((id) => source.work(id));
    expect(await isReady(queue)).toBe(true);
    await pause(500);
    await goAway('hung');
    const relay = source.relayTo(queue);
    await pause(25_000);
    await comeBack();
    expect(await becomesTrue(() => source.left === 0)).toBe(true);
    relay.end();
  });

  test('the jobs of a worker that hangs are handed to another', { timeout: 90_000 }, async () => {
    const [still, other] = [create(), create()];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let begun = 0;
    still.start(async () => {
      begun += 1;
      await promise;
    });
    still.offer('embed', newIds(3));
    expect(await becomesTrue(() => begun === 3)).toBe(true);
    let taken = 0;
    other.start(async () => void (taken += 1));
    expect(await becomesTrue(() => taken === 3, 60_000)).toBe(true);
    resolve(undefined);
  });

  test('a Redis out of memory accepts no jobs, and is logged once', async () => {
    const queue = create({ work: false });
    expect(await isReady(queue)).toBe(true);
    await ask((client) => client.config('SET', 'maxmemory', '1'));
    const [refused, taken] = [newIds(3), newIds(3)];
    queue.offer('embed', refused);
    expect(await becomesTrue(() => warnings().length > 0)).toBe(true);
    for (let offers = 0; offers < 4; offers++) {
      queue.offer('embed', newIds(3));
      await pause(50);
    }
    expect(warnings()).toEqual([expect.stringContaining('OOM')]);
    await ask((client) => client.config('SET', 'maxmemory', '0'));
    queue.offer('embed', taken);
    const countOf = (ids: readonly JobId[]) => ask((client) => client.exists(ids.map((id) => `{portico}:embed:${id}`)));
    expect(await becomesTrue(async () => (await countOf(taken)) === 3)).toBe(true);
    expect(await countOf(refused)).toBe(0);
    // The jobs are visible in Redis before the producer has its reply.
    expect(await becomesTrue(() => warnings().length > 1)).toBe(true);
    expect(warnings()).toEqual([expect.stringContaining('OOM'), expect.stringMatching(/ accepts jobs again$/)]);
  });

  test('a refused password is not repeated', async () => {
    await ask((client) => client.config('SET', 'requirepass', 'right'));
    try {
      const url = redis.url.replace('redis://', 'redis://:very-secret-word@');
      const queue = create({ url });
      queue.start(async () => undefined);
      expect(await becomesTrue(() => warnings().length > 0)).toBe(true);
      await expect(queue.probe.check()).rejects.toThrow(/^(?!.*very-secret-word)/s);
      expect(warnings().join('\n')).not.toContain('very-secret-word');
    } finally {
      const client = new Redis(redis.url, { password: 'right' });
      await client.config('SET', 'requirepass', '');
      client.disconnect();
    }
  });

  test('a password that the server repeats, because AUTH was renamed, is not logged', async () => {
    const password = 'very-secret-word';
    const renamed = ['--rename-command', 'AUTH', 'XAUTH', '--rename-command', 'HELLO', ''];
    const server = await startRedis({ password, args: renamed });
    const queue = create({ url: server!.url });
    queue.start(async () => undefined);
    expect(await becomesTrue(() => warnings().length > 0)).toBe(true);
    expect(warnings()).toEqual([expect.stringContaining('unknown command')]);
    expect(warnings()[0]).not.toContain(password);
    await queue.stop();
    await server!.close();
  });
});
