import { recordLog } from '@portico/contracts';
import { startRedis } from '@portico/test-servers';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { concurrencyOf, createIds, noFallback } from '../test/job-source.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';

const redis = await startRedis();
afterAll(() => redis?.close());

/**
 * An offered job in Redis: the keys, their types, and the fields of the hashes. Processes of two versions can run
 * simultaneously, so if any of this changes, by us or by BullMQ, increase the number in `queuePrefix`.
 */
const layout = {
  '{portico:ID}:jobs:1:embed:JOB': ['hash', 'data', 'delay', 'name', 'opts', 'priority', 'timestamp'],
  '{portico:ID}:jobs:1:embed:events': ['stream'],
  '{portico:ID}:jobs:1:embed:id': ['string'],
  '{portico:ID}:jobs:1:embed:marker': ['zset'],
  '{portico:ID}:jobs:1:embed:meta': ['hash', 'opts.maxLenEvents'],
  '{portico:ID}:jobs:1:embed:wait': ['list'],
};

describe.skipIf(!redis)('the data of BullMQ', () => {
  test('has the layout of the version in its key names', async () => {
    await redis?.flush();
    const ids = createIds(1);
    const [id = ''] = ids;
    const options = { url: redis?.url ?? '', installation: 'ID', concurrency: concurrencyOf(1), log: recordLog() };
    const queue = createBullmqJobQueue({ ...options, isWorker: false, fallback: noFallback });
    const client = new Redis(redis?.url ?? '');
    await queue.probe.check();
    queue.offer('embed', ids);
    await expect.poll(() => client.exists(`{portico:ID}:jobs:1:embed:${id}`)).toBe(1);
    const storedLayout: Record<string, readonly string[]> = {};
    for (const key of await client.keys('*')) {
      const type = await client.type(key);
      storedLayout[key.replace(id, 'JOB')] = [type, ...(type === 'hash' ? (await client.hkeys(key)).sort() : [])];
    }
    const fields = await client.hmget(`{portico:ID}:jobs:1:embed:${id}`, 'name', 'data');
    client.disconnect();
    await queue.stop();
    expect(storedLayout).toEqual(layout);
    expect(fields).toEqual(['job', '{}']);
  });
});
