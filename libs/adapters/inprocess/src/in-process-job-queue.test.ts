import { setImmediate as turn } from 'node:timers/promises';
import { jobQueueContract } from '@portico/contracts';
import { jobKinds, type JobId, type JobKind } from '@portico/domain';
import { expect, test } from 'vitest';
import { createClosedJobQueue, createInProcessJobQueue } from './in-process-job-queue.ts';

const idsOf = (...names: readonly string[]): readonly JobId[] => names as readonly JobId[];

/** That many of each kind. */
const atOnce = (count: number) =>
  Object.fromEntries(jobKinds.map((kind) => [kind, count])) as Readonly<Record<JobKind, number>>;

for (const [sentence, check] of Object.entries(jobQueueContract)) {
  test(sentence, () => check({ queue: createInProcessJobQueue({ concurrency: atOnce(3) }), concurrency: 3 }));
}

test('an id that waits or is under way is not accepted again', async () => {
  const queue = createInProcessJobQueue({ concurrency: atOnce(1) });
  const worked: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  queue.start(async (id) => {
    worked.push(id);
    await promise;
  });
  queue.offer('embed', idsOf('a', 'b', 'b'));
  await turn();
  expect(worked).toEqual(['a']);
  queue.offer('embed', idsOf('a', 'b'));
  resolve(undefined);
  await turn();
  await turn();
  expect(worked).toEqual(['a', 'b']);
  await queue.stop();
});

test('ids beyond the number that may wait are dropped', async () => {
  const queue = createInProcessJobQueue({ concurrency: atOnce(1), waitingMax: 2 });
  const worked: string[] = [];
  queue.offer('embed', idsOf('a', 'b', 'c'));
  queue.offer('embed', idsOf('d'));
  queue.start(async (id) => {
    worked.push(id);
  });
  await turn();
  await turn();
  expect(worked).toEqual(['a', 'b']);
  await queue.stop();
});

test('a closed queue works no jobs and stops at once', async () => {
  const queue = createClosedJobQueue();
  const worked: string[] = [];
  queue.start(async (id) => {
    worked.push(id);
  });
  queue.offer('embed', idsOf('a'));
  await turn();
  await turn();
  await queue.stop();
  expect(worked).toEqual([]);
});
