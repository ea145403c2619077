import { setTimeout as pause } from 'node:timers/promises';
import { jobQueueContract, recordLog } from '@portico/contracts';
import type { JobId } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { concurrencyOf, createJobSource, createIds, noFallback } from '../test/job-source.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';

const redis = await startRedis();
afterAll(() => redis?.close());

describe.skipIf(!redis)('the job queue on BullMQ', () => {
  let log = recordLog();
  const create = (isWorker: boolean, globalConcurrency = {}, installation = 'here') =>
    createBullmqJobQueue({
      globalConcurrency,
      url: redis?.url ?? '',
      installation,
      concurrency: concurrencyOf(3),
      isWorker,
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
   * lasts until `concurrencyMin` jobs have run concurrently, and slightly longer.
   */
  const measureConcurrency = async (
    count: number,
    concurrencyMin: number,
    globalConcurrency: { readonly embed?: number },
  ) => {
    const minReached = Promise.withResolvers<undefined>();
    const source = createJobSource(count, () => minReached.promise.then(() => pause(20)));
    let [runningCount, runningCountMax] = [0, 0];
    const work = async (id: JobId): Promise<void> => {
      runningCount += 1;
      runningCountMax = Math.max(runningCountMax, runningCount);
      if (runningCountMax >= concurrencyMin) minReached.resolve(undefined);
      await source.process(id);
      runningCount -= 1;
    };
    const queues = [create(true, globalConcurrency), create(true, globalConcurrency)];
    for (const queue of queues) queue.start(work);
    const relays = queues.map((queue) => source.relayTo(queue));
    await expect.poll(() => source.remainingCount).toBe(0);
    for (const relay of relays) relay.end();
    await Promise.all(queues.map((queue) => queue.stop()));
    return runningCountMax;
  };

  test('an installation receives only its own jobs, and no other installation receives them', async () => {
    const source = createJobSource(20);
    const [producer, otherQueue] = [create(false), create(true, {}, 'there')];
    const receivedIds: JobId[] = [];
    otherQueue.start(async (id) => void receivedIds.push(id));
    producer.offer('embed', source.ids);
    // By now, the other installation has received its own job, so it would have received these as well.
    const [laterId = source.ids[0]] = createIds(1);
    await expect.poll(() => producer.probe.check()).toBeUndefined();
    otherQueue.offer('embed', [laterId as JobId]);
    await expect.poll(() => receivedIds).toContain(laterId);
    expect(receivedIds).toEqual([laterId]);
    const worker = create(true);
    worker.start((id) => source.process(id));
    await expect.poll(() => source.remainingCount).toBe(0);
    await Promise.all([producer, otherQueue, worker].map((queue) => queue.stop()));
  });

  test('a shared limit applies across all processes, even after Redis has been flushed', async () => {
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
    const [mails, embeddings] = [new Set(createIds(6)), createIds(3)];
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
