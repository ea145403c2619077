import { setImmediate as nextTick } from 'node:timers/promises';
import { jobQueueContract } from '@portico/contracts';
import { jobKinds, type JobId, type JobKind } from '@portico/domain';
import { expect, test } from 'vitest';
import { createClosedJobQueue, createInProcessJobQueue } from './in-process-job-queue.ts';

const idsOf = (...names: readonly string[]): readonly JobId[] => names as readonly JobId[];

/** Returns the same concurrency for each kind. */
const perKind = (count: number) =>
  Object.fromEntries(jobKinds.map((kind) => [kind, count])) as Readonly<Record<JobKind, number>>;

for (const [title, check] of Object.entries(jobQueueContract)) {
  test(title, () => check({ queue: createInProcessJobQueue({ concurrency: perKind(3) }), concurrency: 3 }));
}

test('an id that is waiting or running is not accepted again', async () => {
  const queue = createInProcessJobQueue({ concurrency: perKind(1) });
  const startedIds: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  queue.start(async (id) => {
    startedIds.push(id);
    await promise;
  });
  queue.offer('embed', idsOf('a', 'b', 'b'));
  await nextTick();
  expect(startedIds).toEqual(['a']);
  queue.offer('embed', idsOf('a', 'b'));
  resolve(undefined);
  await nextTick();
  await nextTick();
  expect(startedIds).toEqual(['a', 'b']);
  await queue.stop();
});

test('ids beyond the maximum number of waiting ids are dropped', async () => {
  const queue = createInProcessJobQueue({ concurrency: perKind(1), waitingMax: 2 });
  const startedIds: string[] = [];
  queue.offer('embed', idsOf('a', 'b', 'c'));
  queue.offer('embed', idsOf('d'));
  queue.start(async (id) => {
    startedIds.push(id);
  });
  await nextTick();
  await nextTick();
  expect(startedIds).toEqual(['a', 'b']);
  await queue.stop();
});

test('a closed queue runs no jobs and stops immediately', async () => {
  const queue = createClosedJobQueue();
  const startedIds: string[] = [];
  queue.start(async (id) => {
    startedIds.push(id);
  });
  queue.offer('embed', idsOf('a'));
  await nextTick();
  await nextTick();
  await queue.stop();
  expect(startedIds).toEqual([]);
});
