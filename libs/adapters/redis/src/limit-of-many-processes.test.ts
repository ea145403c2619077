import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import type { Admission, TakerOrders } from '../test/taker.ts';

const processes = 4;

const redis = await startRedis();
afterAll(() => redis?.close());

const takeInOneProcess = async (orders: TakerOrders): Promise<readonly Admission[]> => {
  const taker = fork(join(import.meta.dirname, '../test/taker.ts'), [JSON.stringify(orders)], {
    execArgv: ['-C', '@portico/source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(taker, 'exit').then(([status]) => {
    if (status !== 0) throw new Error(`A process ended with ${status}`);
  });
  const told = once(taker, 'message') as Promise<[readonly Admission[]]>;
  await exited;
  const [admissions] = await told;
  return admissions;
};

/**
 * Sends that many requests from all processes together, and more until the time has passed; returns the admissions in
 * the order of their requests.
 */
const takeTogether = async (allowed: number, windowSeconds: number, requests: number, lastsMs = 0) => {
  const subject = `${allowed} in ${windowSeconds}`;
  const limit = { subject, allowed, windowSeconds };
  const orders = { url: redis!.url, ...limit, requests: requests / processes, lastsMs, atOnce: 100 };
  const all = await Promise.all(Array.from({ length: processes }, () => takeInOneProcess(orders)));
  return all.flat().sort(([one], [other]) => one - other);
};

describe.skipIf(!redis)('the limiter in Redis, asked by four processes at once', { timeout: 120_000 }, () => {
  for (const allowed of [1, 100, 1000]) {
    test(`of 100,000 requests exactly ${allowed} are admitted if the limit is ${allowed}`, async () => {
      expect(await takeTogether(allowed, 3600, 100_000)).toHaveLength(allowed);
    });
  }

  test('of 100,000 requests at most 5,000, and at least 98 % of that, are admitted if the limit is 5,000', async () => {
    const { length } = await takeTogether(5000, 3600, 100_000);
    expect(length).toBeLessThanOrEqual(5000);
    expect(length).toBeGreaterThanOrEqual(4900);
  });

  for (const allowed of [100, 2000]) {
    test(`no second holds more than ${allowed} admissions if the limit is ${allowed} a second`, async () => {
      const admissions = await takeTogether(allowed, 1, 100_000, 2_500);
      expect(admissions.length).toBeGreaterThan(allowed);
      let end = 0;
      for (const [begin, [from]] of admissions.entries()) {
        while (end < admissions.length && admissions[end]![0] < from + 1000) end++;
        const inside = admissions.slice(begin, end).filter(([, answeredAt]) => answeredAt < from + 1000);
        if (inside.length > allowed) expect.fail(`${inside.length} in the second from ${from}`);
      }
    });
  }
});
