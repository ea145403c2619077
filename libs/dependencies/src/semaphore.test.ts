import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createManualDeadline } from '@portico/contracts';
import { PorticoError, type Deadline } from '@portico/domain';
import { expect, test } from 'vitest';
import { createSemaphore as create, type RegisterCancel } from './semaphore.ts';

const createOverflowError = (running: number, waiting: number) => new Error(`${running} running, ${waiting} waiting`);
const createSemaphore = (limits: { readonly concurrency: number; readonly waitingMax: number }) =>
  create({ ...limits, createOverflowError });
/** Removes a waiting task when its deadline expires. */
const cancelAt =
  (deadline: Deadline): RegisterCancel =>
  (cancel) =>
    deadline.onExpired(() => cancel(new PorticoError('timed_out')));

test('the number of running tasks is limited, all run in order, and a failed task frees its slot', async () => {
  const semaphore = createSemaphore({ concurrency: 2, waitingMax: 18 });
  let runningCount = 0;
  let runningMax = 0;
  const finishedIndexes: number[] = [];
  const tasks = Array.from({ length: 20 }, (_, index) =>
    semaphore(async () => {
      runningMax = Math.max(runningMax, ++runningCount);
      await yieldToEventLoop();
      runningCount--;
      if (index % 5 === 0) throw new Error('failed');
      finishedIndexes.push(index);
    }),
  );
  const outcomes = await Promise.allSettled(tasks);
  expect(runningMax).toBe(2);
  expect(finishedIndexes).toEqual([...finishedIndexes].sort((a, b) => a - b));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a task that finds the queue full is rejected with the reason, and the others run', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 3 });
  let startedCount = 0;
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => semaphore(async () => ++startedCount)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 4 }, () => 'fulfilled'),
    ...Array.from({ length: 2 }, () => 'rejected'),
  ]);
  expect(startedCount).toBe(4);
  const [rejection] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(rejection).toEqual(new Error('1 running, 3 waiting'));
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a task that expires while waiting leaves the queue and frees its slot, and the others keep theirs', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 2 });
  const deadline = createManualDeadline();
  const blocker = Promise.withResolvers<void>();
  const doneTasks: string[] = [];
  const firstTask = semaphore(() => blocker.promise);
  const expiringTask = semaphore(async () => doneTasks.push('expired'), cancelAt(deadline));
  const secondTask = semaphore(async () => doneTasks.push('second'));
  deadline.expire();
  await expect(expiringTask).rejects.toMatchObject({ code: 'timed_out' });
  const thirdTask = semaphore(async () => doneTasks.push('third'), cancelAt(createManualDeadline()));
  blocker.resolve();
  await Promise.all([firstTask, secondTask, thirdTask]);
  expect(doneTasks).toEqual(['second', 'third']);
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a running task is not stopped by its deadline', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 1 });
  const deadline = createManualDeadline();
  const blocker = Promise.withResolvers<string>();
  const firstTask = semaphore(() => blocker.promise, cancelAt(deadline));
  const secondTask = semaphore(async () => 'second', cancelAt(createManualDeadline()));
  deadline.expire();
  blocker.resolve('first');
  expect(await Promise.all([firstTask, secondTask])).toEqual(['first', 'second']);
});

test('the deadline of a finished task does not remove other tasks from the queue', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 2 });
  const deadline = createManualDeadline();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const firstTask = semaphore(() => gates[0].promise);
  const secondTask = semaphore(() => gates[1].promise, cancelAt(deadline));
  const thirdTask = semaphore(async () => 'third');
  gates[0].resolve();
  await firstTask;
  deadline.expire();
  gates[1].resolve();
  await secondTask;
  expect(await thirdTask).toBe('third');
});

test('a concurrency below one is rejected', () => {
  for (const concurrency of [0, -1, 0.5, Number.NaN])
    expect(() => createSemaphore({ concurrency, waitingMax: 1 })).toThrow(RangeError);
});
