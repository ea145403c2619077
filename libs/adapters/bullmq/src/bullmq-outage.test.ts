import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { recordLog, type RecordedLog } from '@portico/contracts';
import { startRedis, stopTime, type StoppedTime } from '@portico/test-servers';
import type { JobId, JobQueue } from '@portico/domain';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { atOnce, createJobSource, newIds, noFallback } from '../test/job-source.ts';
import { passInRedis } from '../test/redis-time.ts';
import { createBullmqJobQueue, type BullmqJobQueue } from './bullmq-job-queue.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Ten minutes. */
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
  /** What the fallback was offered. */
  let leftOver: JobId[];
  const fallback: JobQueue = { ...noFallback, offer: (_kind, ids) => void leftOver.push(...ids) };
  const create = ({ work = true, url = redis.url, left = noFallback } = {}): BullmqJobQueue => {
    const queue = createBullmqJobQueue({
      url,
      installation: 'here',
      concurrency: atOnce(3),
      work,
      fallback: left,
      log,
    });
    queues.push(queue);
    return queue;
  };
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
  const untilBack = () => time.passUntilSucceeds(() => expect(warnings().at(-1)).toMatch(/ accepts jobs again$/));
  const ask = async <T>(question: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(redis.url);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  };
  const jobsInRedis = () => ask(async (client) => (await client.keys('{portico:here}:jobs:1:*:????????-*')).length);

  beforeEach(async () => {
    time = stopTime(vi);
    log = recordLog();
    queues = [];
    leftOver = [];
    await redis.flush();
  });
  afterEach(async () => {
    await comeBack();
    await time.passUntil(Promise.all(queues.map((queue) => queue.stop())));
    time.goOn();
  });

  /** Lets time pass, in Redis as well, until it holds. */
  const passUntil = async (isSo: () => boolean): Promise<void> => {
    for (let steps = 1; !isSo(); steps++) {
      if (steps === stepsMax) throw new Error('It never came to hold');
      await time.pass(stepMs);
      if ((steps * stepMs) % 1_000 === 0) await ask((client) => passInRedis(client, 1_000));
    }
  };
  const passBySeconds = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) await time.pass(1_000);
  };

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'is emptied': () => redis.flush(),
    'is killed and comes back empty': async () => {
      await goAway('stopped');
      await time.pass(500);
      await comeBack();
    },
    'hangs for a while': async () => {
      await goAway('hung');
      await passBySeconds(8);
      await comeBack();
    },
  };

  for (const [name, fault] of Object.entries(faults)) {
    test(`no job is lost when Redis ${name} under work`, async () => {
      const source = createJobSource(300);
      const workers = [create(), create()];
      const relays = workers.map((worker) => {
        worker.start((id) => source.work(id));
        return source.relayTo(worker);
      });
      await passUntil(() => source.left < 250);
      expect(source.left).toBeGreaterThan(0);
      await fault();
      await passUntil(() => source.left === 0);
      for (const relay of relays) relay.end();
      await time.passUntilSucceeds(async () => expect(await jobsInRedis()).toBe(0));
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
    await time.stillUntil(() => expect(worked).toBeGreaterThanOrEqual(20));
    await time.stillUntil(async () => expect(await jobsInRedis()).toBe(0));
    expect(warnings()).toEqual([]);
  });

  test('Redis receives only the ids of jobs', async () => {
    const queue = create({ work: false });
    const [id = '' as JobId] = newIds(1);
    queue.offer('embed', [id]);
    const key = `{portico:here}:jobs:1:embed:${id}`;
    await time.stillUntil(async () => expect(await ask((client) => client.exists(key))).toBe(1));
    expect(await ask((client) => client.hget(key, 'data'))).toBe('{}');
  });

  test('a process that works no jobs hands them to those that do', async () => {
    const [producer, worker] = [create({ work: false }), create()];
    const workedBy: string[] = [];
    producer.start(async () => void workedBy.push('producer'));
    worker.start(async () => void workedBy.push('worker'));
    producer.offer('embed', newIds(10));
    await time.stillUntil(() => expect(workedBy).toHaveLength(10));
    expect(new Set(workedBy)).toEqual(new Set(['worker']));
  });

  test('a stopped queue starts no more jobs, not even those already on their way from Redis', async () => {
    for (let round = 0; round < 40; round++) {
      const queue = create();
      let begun = 0;
      queue.start(async () => void (begun += 1));
      queue.offer('embed', newIds(200));
      await time.stillUntil(() => expect(begun).toBeGreaterThan(round));
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
    await time.stillUntil(() => expect(warnings()).toHaveLength(1));
    await comeBack();
    await passUntil(() => source.left === 0);
    relay.end();
  });

  test('a check right after the start waits for the connection', async () => {
    await create({ work: false }).probe.check();
  });

  test('an outage is logged once when it begins and once when it ends', async () => {
    const queue = create();
    queue.start(async () => undefined);
    await queue.probe.check();
    await goAway('stopped');
    for (let offers = 0; offers < 20; offers++) {
      queue.offer('embed', newIds(3));
      await time.pass(50);
    }
    await time.passUntil(expect(queue.probe.check()).rejects.toThrow());
    await comeBack();
    await untilBack();
    const place = new URL(redis.url).host;
    expect(warnings()).toEqual([
      expect.stringMatching(new RegExp(`^Redis at ${place} accepts no jobs; they are worked without it: .+$`)),
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
      // Once Redis has taken one, no proof is under way, whose failure would let offers wait for the next.
      queue.offer('embed', newIds(1));
      await time.stillUntil(async () => expect(await jobsInRedis()).toBe(1));
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
      await time.pass(50);
      await offerMany();
      await time.passUntilSucceeds(() => expect(warnings()).toHaveLength(1));
      await offerMany();
      collectGarbage();
      // The ids alone would take 16 MB.
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
      await comeBack();
      await untilBack();
      const [last = '' as JobId] = newIds(1);
      queue.offer('embed', [last]);
      const countOfLast = () => ask((client) => client.exists(`{portico:here}:jobs:1:embed:${last}`));
      await time.stillUntil(async () => expect(await countOfLast()).toBe(1));
      // That one, the first, and those that were on their way when the outage began.
      expect(await jobsInRedis()).toBeLessThanOrEqual(12);
    });

    test(`a stop completes while Redis ${name}, after the jobs under way`, async () => {
      const queue = create();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      let began = 0;
      queue.start(async () => {
        began += 1;
        await promise;
      });
      queue.offer('embed', newIds(10));
      await time.stillUntil(() => expect(began).toBe(3));
      await begin();
      await time.pass(500);
      let stopped = false;
      const stopping = queue.stop().then(() => (stopped = true));
      await passBySeconds(3);
      expect(stopped).toBe(false);
      resolve(undefined);
      await time.passUntil(stopping);
      expect(began).toBe(3);
    });

    test(`a queue that started while Redis ${name} can be stopped`, async () => {
      await begin();
      const queue = create();
      queue.start(async () => undefined);
      queue.offer('embed', newIds(10));
      await time.pass(500);
      await time.passUntil(queue.stop());
    });
  }

  test('jobs flow again after Redis hung for longer than any timeout', async () => {
    const queue = create();
    const source = createJobSource(10);
    queue.start((id) => source.work(id));
    await queue.probe.check();
    await time.pass(500);
    await goAway('hung');
    const relay = source.relayTo(queue);
    await passBySeconds(25);
    await comeBack();
    await passUntil(() => source.left === 0);
    relay.end();
  });

  test('the jobs of a worker that hangs are handed to another once their lease is over', async () => {
    const [still, other] = [create(), create()];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let begun = 0;
    still.start(async () => {
      begun += 1;
      await promise;
    });
    still.offer('embed', newIds(3));
    await time.stillUntil(() => expect(begun).toBe(3));
    let taken = 0;
    other.start(async () => void (taken += 1));
    const startedAt = Date.now();
    await passUntil(() => taken === 3);
    expect(Date.now() - startedAt).toBeGreaterThan(15_000);
    resolve(undefined);
  });

  test('what a Redis out of memory does not take goes to the fallback, and that is logged once', async () => {
    const queue = create({ work: false, left: fallback });
    await queue.probe.check();
    await ask((client) => client.config('SET', 'maxmemory', '1'));
    const [refused, taken] = [newIds(3), newIds(3)];
    queue.offer('embed', refused);
    await time.stillUntil(() => expect(warnings()).toHaveLength(1));
    expect(leftOver).toEqual(refused);
    for (let offers = 0; offers < 4; offers++) {
      queue.offer('embed', newIds(3));
      await time.pass(50);
    }
    expect(warnings()).toEqual([expect.stringContaining('OOM')]);
    expect(queue.probe.inFallback?.()).toBe(true);
    await time.passUntil(expect(queue.probe.check()).rejects.toThrow('OOM'));
    leftOver = [];
    await ask((client) => client.config('SET', 'maxmemory', '0'));
    queue.offer('embed', taken);
    const countOf = (ids: readonly JobId[]) =>
      ask((client) => client.exists(ids.map((id) => `{portico:here}:jobs:1:embed:${id}`)));
    await time.stillUntil(async () => expect(await countOf(taken)).toBe(3));
    expect(await countOf(refused)).toBe(0);
    // The jobs are visible in Redis before the producer has its reply.
    await time.stillUntil(() => expect(warnings()).toHaveLength(2));
    expect(warnings()).toEqual([expect.stringContaining('OOM'), expect.stringMatching(/ accepts jobs again$/)]);
    expect([queue.probe.inFallback?.(), leftOver]).toEqual([false, []]);
  });

  test('jobs go to the fallback while Redis takes them but hands out none, and no longer than that', async () => {
    await redis.tell('ACL', 'SETUSER', 'default', '-bzpopmin');
    const queue = create({ left: fallback });
    const worked: JobId[] = [];
    queue.start(async (id) => void worked.push(id));
    const [first, second] = [newIds(3), newIds(3)];
    queue.offer('embed', first);
    await time.passUntilSucceeds(() => expect(warnings()).toContainEqual(expect.stringContaining('NOPERM')));
    queue.offer('embed', first);
    await time.stillUntil(() => expect(leftOver).toEqual(expect.arrayContaining([...first])));
    await redis.tell('ACL', 'SETUSER', 'default', '+@all');
    // The relay offers what is due, if only nothing.
    queue.offer('embed', []);
    await untilBack();
    queue.offer('embed', second);
    await time.passUntilSucceeds(() => expect(worked).toEqual(expect.arrayContaining([...second])));
  });

  test('a user without the right to INFO has the queue work, and nothing said on the console', async () => {
    const said = vi.spyOn(console, 'warn');
    await redis.tell('ACL', 'SETUSER', 'default', '-info');
    try {
      const queue = create();
      const source = createJobSource(5);
      queue.start((id) => source.work(id));
      const relay = source.relayTo(queue);
      await passUntil(() => source.left === 0);
      relay.end();
      expect([said.mock.calls, warnings()]).toEqual([[], []]);
    } finally {
      said.mockRestore();
      await redis.tell('ACL', 'SETUSER', 'default', '+@all');
    }
  });

  test('a refused password is not repeated', async () => {
    await ask((client) => client.config('SET', 'requirepass', 'right'));
    try {
      const url = redis.url.replace('redis://', 'redis://:very-secret-word@');
      const queue = create({ url });
      queue.start(async () => undefined);
      await time.stillUntil(() => expect(warnings()).not.toEqual([]));
      await time.passUntil(expect(queue.probe.check()).rejects.toThrow(/^(?!.*very-secret-word)/s));
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
    await time.stillUntil(() => expect(warnings()).toEqual([expect.stringContaining('unknown command')]));
    expect(warnings()[0]).not.toContain(password);
    await time.passUntil(queue.stop());
    await server!.close();
  });
});
