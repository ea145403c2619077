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
  const exitCheck = once(child, 'exit').then(([status]) => {
    if (status !== 0) throw new Error(`A process exited with ${status}`);
  });
  const message = once(child, 'message') as Promise<[readonly (readonly Admission[])[]]>;
  await exitCheck;
  const [admissions] = await message;
  return admissions;
};

const limitOf = (allowed: number, windowSeconds: number, durationMs = 0): LimitTask => ({
  subject: `${allowed} in ${windowSeconds}`,
  allowed,
  windowSeconds,
  requests: requests / processes,
  durationMs,
});

const exactLimits = [1, 100, 1000];
const largeLimit = 5000;
const limitsPerSecond = [100, 2000];
const limits = [
  ...[...exactLimits, largeLimit].map((allowed) => limitOf(allowed, 3600)),
  ...limitsPerSecond.map((allowed) => limitOf(allowed, 1, 2_500)),
];

describe.skipIf(!redis)('the limiter in Redis, with 100,000 requests per limit from four processes', () => {
  let admissionsByProcess: readonly (readonly (readonly Admission[])[])[] = [];
  beforeAll(async () => {
    const task = { url: redis!.url, limits };
    admissionsByProcess = await Promise.all(Array.from({ length: processes }, () => consumeInProcess(task)));
  });

  /** Returns the admissions from all processes, in the order of their requests. */
  const admissionsOf = (allowed: number, windowSeconds: number): readonly Admission[] => {
    const index = limits.findIndex((limit) => limit.allowed === allowed && limit.windowSeconds === windowSeconds);
    return admissionsByProcess
      .flatMap((admissionsByLimit) => admissionsByLimit[index] ?? [])
      .sort(([leftTime], [rightTime]) => leftTime - rightTime);
  };

  test.each(exactLimits)('exactly %i requests are admitted if that is the limit', (allowed) => {
    expect(admissionsOf(allowed, 3600)).toHaveLength(allowed);
  });

  test('at most 5,000 requests, and at least 98 % of them, are admitted if the limit is 5,000', () => {
    const { length } = admissionsOf(largeLimit, 3600);
    expect(length).toBeLessThanOrEqual(5000);
    expect(length).toBeGreaterThanOrEqual(4900);
  });

  test.each(limitsPerSecond)('no second has more than %i admissions if that is the limit per second', (allowed) => {
    const admissions = admissionsOf(allowed, 1);
    expect(admissions.length).toBeGreaterThan(allowed);
    let endIndex = 0;
    for (const [startIndex, [from]] of admissions.entries()) {
      while (endIndex < admissions.length && admissions[endIndex]![0] < from + 1000) endIndex++;
      const admissionsInSecond = admissions
        .slice(startIndex, endIndex)
        .filter(([, receivedAt]) => receivedAt < from + 1000);
      if (admissionsInSecond.length > allowed) expect.fail(`${admissionsInSecond.length} in the second from ${from}`);
    }
  });
});
