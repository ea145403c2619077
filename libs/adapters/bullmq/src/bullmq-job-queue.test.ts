import { jobQueueContract } from '@portico/contracts';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { atOnce } from '../test/job-source.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';

const redis = await startRedis();
afterAll(() => redis?.close());

describe.skipIf(!redis)('the job queue on BullMQ', () => {
  const warnings: string[] = [];
  const create = (work: boolean) =>
    createBullmqJobQueue({
      url: redis?.url ?? '',
      concurrency: atOnce(3),
      work,
      warn: (message) => warnings.push(message),
    });

  beforeEach(async () => {
    warnings.length = 0;
    await redis?.flush();
  });

  for (const [sentence, check] of Object.entries(jobQueueContract)) {
    test(sentence, async () => {
      const queue = create(true);
      await check({ queue, concurrency: 3, patienceMs: 10_000 });
      await queue.stop();
      expect(warnings).toEqual([]);
    });
  }
});
