import { setTimeout as pause } from 'node:timers/promises';
import { jobQueueContract, recordLog } from '@portico/contracts';
import type { JobId } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { concurrencyOf, createJobSource, newIds, noFallback } from '../test/job-source.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';

const redis = await startRedis();
afterAll(() => redis?.close());

describe.skipIf(!redis)('the job queue on BullMQ', () => {
  let log = recordLog();
  const create = (work: boolean, globalConcurrency = {}, installation = 'here') =>
    createBullmqJobQueue({
      globalConcurrency,
      url: redis?.url ?? '',
      installation,
      concurrency: concurrencyOf(3),
      work,
      fallback: noFallback,
      log,
    });

  beforeEach(async () => {
    log = recordLog();
    await redis?.flush();
  });

  for (const [sentence, check] of Object.entries(jobQueueContract)) {
    test(sentence, async () => {
      const queue = create(true);
      await check({ queue, concurrency: 3 });
      await queue.stop();
      expect(log.messages()).toEqual([]);
    });
  }

  /**
   * Processes `count` embedding jobs on two queues. Returns the maximum number of jobs that ran concurrently. Each job
   * lasts until `least` jobs have run concurrently, and slightly longer.
   */
  const measureConcurrency = async (count: number, least: number, globalConcurrency: { readonly embed?: number }) => {
    const reachedLeast = Promise.withResolvers<undefined>();
    const source = createJobSource(count, () => reachedLeast.promise.then(() => pause(20)));
    let [running, runningMax] = [0, 0];
    const work = async (id: JobId): Promise<void> => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      if (runningMax >= least) reachedLeast.resolve(undefined);
      await source.work(id);
      running -= 1;
    };
    const queues = [create(true, globalConcurrency), create(true, globalConcurrency)];
    for (const queue of queues) queue.start(work);
    const relays = queues.map((queue) => source.relayTo(queue));
    await expect.poll(() => source.remaining).toBe(0);
    for (const relay of relays) relay.end();
    await Promise.all(queues.map((queue) => queue.stop()));
    return runningMax;
  };

  test('an installation receives only its own jobs, and loses none to another', async () => {
    const own = createJobSource(20);
    const [offering, other] = [create(false), create(true, {}, 'there')];
    const received: JobId[] = [];
    other.start(async (id) => void received.push(id));
    offering.offer('embed', own.ids);
    // By now, the other installation has received its own job, so it would have received these as well.
    const [later = own.ids[0]] = newIds(1);
    await expect.poll(() => offering.probe.check()).toBeUndefined();
    other.offer('embed', [later as JobId]);
    await expect.poll(() => received).toContain(later);
    expect(received).toEqual([later]);
    const working = create(true);
    working.start((id) => own.work(id));
    await expect.poll(() => own.remaining).toBe(0);
    await Promise.all([offering, other, working].map((queue) => queue.stop()));
  });

  test('a shared limit applies across all processes, even after Redis was emptied', async () => {
    expect(await measureConcurrency(40, 2, { embed: 2 })).toBe(2);
    await redis?.flush();
    expect(await measureConcurrency(20, 2, { embed: 2 })).toBe(2);
  });

  test('a previous limit is removed if none is set', async () => {
    expect(await measureConcurrency(10, 1, { embed: 1 })).toBe(1);
    expect(await measureConcurrency(40, 2, {})).toBeGreaterThan(1);
  });

  test('a shared limit on one kind does not affect the others', async () => {
    const queue = create(true, { embed: 1 });
    const [mails, embeddings] = [new Set(newIds(6)), newIds(3)];
    const threeRunning = Promise.withResolvers<undefined>();
    let mailsRunning = 0;
    queue.start(async (id) => {
      if (!mails.has(id)) return;
      mailsRunning += 1;
      if (mailsRunning === 3) threeRunning.resolve(undefined);
      await threeRunning.promise;
      mailsRunning -= 1;
    });
    queue.offer('embed', embeddings);
    queue.offer('mail.rejection', [...mails]);
    await threeRunning.promise;
    await queue.stop();
  });
});
