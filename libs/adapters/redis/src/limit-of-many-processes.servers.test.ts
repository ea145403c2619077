import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Admission, LimitTask, ConsumerTask } from '../test/limit-consumer.ts';

const processes = 4;
const requests = 100_000;

const redis = await startRedis();
afterAll(() => redis?.close());

/** Runs the task in a child process, and returns the admissions for each limit. */
const consumeInProcess = async (task: ConsumerTask): Promise<readonly (readonly Admission[])[]> => {
  const child = fork(join(import.meta.dirname, '../test/limit-consumer.ts'), [JSON.stringify(task)], {
    execArgv: ['-C', '@portico/source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(([status]) => {
    if (status !== 0) throw new Error(`A process exited with ${status}`);
  });
  const message = once(child, 'message') as Promise<[readonly (readonly Admission[])[]]>;
  await exited;
  const [admissions] = await message;
  return admissions;
};

const limitOf = (allowed: number, windowSeconds: number, lastsMs = 0): LimitTask => ({
  subject: `${allowed} in ${windowSeconds}`,
  allowed,
  windowSeconds,
  requests: requests / processes,
  lastsMs,
});

const exact = [1, 100, 1000];
const large = 5000;
const perSecond = [100, 2000];
const limits = [
  ...[...exact, large].map((allowed) => limitOf(allowed, 3600)),
  ...perSecond.map((allowed) => limitOf(allowed, 1, 2_500)),
];

describe.skipIf(!redis)('the limiter in Redis, with 100,000 requests per limit from four processes', () => {
  let admissionsByProcess: readonly (readonly (readonly Admission[])[])[] = [];
  beforeAll(async () => {
    const task = { url: redis!.url, limits };
    admissionsByProcess = await Promise.all(Array.from({ length: processes }, () => consumeInProcess(task)));
  });

  /** Returns the admissions from all processes, in the order of their requests. */
  const admissionsOf = (allowed: number, windowSeconds: number): readonly Admission[] => {
    const at = limits.findIndex((limit) => limit.allowed === allowed && limit.windowSeconds === windowSeconds);
    return admissionsByProcess
      .flatMap((admissionsByLimit) => admissionsByLimit[at] ?? [])
      .sort(([one], [other]) => one - other);
  };

  test.each(exact)('exactly %i requests are admitted if that is the limit', (allowed) => {
    expect(admissionsOf(allowed, 3600)).toHaveLength(allowed);
  });

  test('at most 5,000 requests, and at least 98 % of them, are admitted if the limit is 5,000', () => {
    const { length } = admissionsOf(large, 3600);
    expect(length).toBeLessThanOrEqual(5000);
    expect(length).toBeGreaterThanOrEqual(4900);
  });

  test.each(perSecond)('no second has more than %i admissions if that is the limit per second', (allowed) => {
    const admissions = admissionsOf(allowed, 1);
    expect(admissions.length).toBeGreaterThan(allowed);
    let end = 0;
    for (const [begin, [from]] of admissions.entries()) {
      while (end < admissions.length && admissions[end]![0] < from + 1000) end++;
      const inside = admissions.slice(begin, end).filter(([, answeredAt]) => answeredAt < from + 1000);
      if (inside.length > allowed) expect.fail(`${inside.length} in the second from ${from}`);
    }
  });
});
