import { setTimeout as pause } from 'node:timers/promises';
import { jobQueueContract, recordLog } from '@portico/contracts';
import type { JobId } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { atOnce, createJobSource, newIds, noFallback } from '../test/job-source.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';

const redis = await startRedis();
afterAll(() => redis?.close());

describe.skipIf(!redis)('the job queue on BullMQ', () => {
  let log = recordLog();
  const create = (work: boolean, togetherAtOnce = {}, installation = 'here') =>
    createBullmqJobQueue({
      togetherAtOnce,
      url: redis?.url ?? '',
      installation,
      concurrency: atOnce(3),
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
   * Works that many embeddings with two processes; returns the maximum worked at once. Each lasts until so many are, and
   * a while longer.
   */
  const mostAtOnce = async (count: number, least: number, togetherAtOnce: { readonly embed?: number }) => {
    const enough = Promise.withResolvers<undefined>();
    const source = createJobSource(count, () => enough.promise.then(() => pause(20)));
    let [underWay, most] = [0, 0];
    const work = async (id: JobId): Promise<void> => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (most >= least) enough.resolve(undefined);
      await source.work(id);
      underWay -= 1;
    };
    const queues = [create(true, togetherAtOnce), create(true, togetherAtOnce)];
    for (const queue of queues) queue.start(work);
    const relays = queues.map((queue) => source.relayTo(queue));
    await expect.poll(() => source.left).toBe(0);
    for (const relay of relays) relay.end();
    await Promise.all(queues.map((queue) => queue.stop()));
    return most;
  };

  test('an installation is handed its own jobs alone, and none of them is lost to another', async () => {
    const own = createJobSource(20);
    const [offering, other] = [create(false), create(true, {}, 'there')];
    const taken: JobId[] = [];
    other.start(async (id) => void taken.push(id));
    offering.offer('embed', own.ids);
    // The other has been handed a job of its own since, so it would have been handed these.
    const [later = own.ids[0]] = newIds(1);
    await expect.poll(() => offering.probe.check()).toBeUndefined();
    other.offer('embed', [later as JobId]);
    await expect.poll(() => taken).toContain(later);
    expect(taken).toEqual([later]);
    const working = create(true);
    working.start((id) => own.work(id));
    await expect.poll(() => own.left).toBe(0);
    await Promise.all([offering, other, working].map((queue) => queue.stop()));
  });

  test('a shared limit holds across all processes, even after Redis was emptied', async () => {
    expect(await mostAtOnce(40, 2, { embed: 2 })).toBe(2);
    await redis?.flush();
    expect(await mostAtOnce(20, 2, { embed: 2 })).toBe(2);
  });

  test('an earlier limit is removed if none is set', async () => {
    expect(await mostAtOnce(10, 1, { embed: 1 })).toBe(1);
    expect(await mostAtOnce(40, 2, {})).toBeGreaterThan(1);
  });

  test('a shared limit on one kind does not affect the others', async () => {
    const queue = create(true, { embed: 1 });
    const [mails, embeddings] = [new Set(newIds(6)), newIds(3)];
    const three = Promise.withResolvers<undefined>();
    let mailsUnderWay = 0;
    queue.start(async (id) => {
      if (!mails.has(id)) return;
      mailsUnderWay += 1;
      if (mailsUnderWay === 3) three.resolve(undefined);
      await three.promise;
      mailsUnderWay -= 1;
    });
    queue.offer('embed', embeddings);
    queue.offer('mail.rejection', [...mails]);
    await three.promise;
    await queue.stop();
  });
});
