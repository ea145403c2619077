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
  let running = 0;
  let runningMax = 0;
  const finished: number[] = [];
  const tasks = Array.from({ length: 20 }, (_, at) =>
    semaphore(async () => {
      runningMax = Math.max(runningMax, ++running);
      await yieldToEventLoop();
      running--;
      if (at % 5 === 0) throw new Error('failed');
      finished.push(at);
    }),
  );
  const settled = await Promise.allSettled(tasks);
  expect(runningMax).toBe(2);
  expect(finished).toEqual([...finished].sort((a, b) => a - b));
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a task that finds the queue full is rejected with the reason, and the others run', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 3 });
  let started = 0;
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => semaphore(async () => ++started)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 4 }, () => 'fulfilled'),
    ...Array.from({ length: 2 }, () => 'rejected'),
  ]);
  expect(started).toBe(4);
  const [rejection] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(rejection).toEqual(new Error('1 running, 3 waiting'));
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a task that expires while waiting leaves the queue and frees its slot, and the others keep theirs', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 2 });
  const deadline = createManualDeadline();
  const blocker = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = semaphore(() => blocker.promise);
  const expiring = semaphore(async () => done.push('expired'), cancelAt(deadline));
  const second = semaphore(async () => done.push('second'));
  deadline.expire();
  await expect(expiring).rejects.toMatchObject({ code: 'timed_out' });
  const third = semaphore(async () => done.push('third'), cancelAt(createManualDeadline()));
  blocker.resolve();
  await Promise.all([first, second, third]);
  expect(done).toEqual(['second', 'third']);
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a running task is not stopped by its deadline', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 1 });
  const deadline = createManualDeadline();
  const blocker = Promise.withResolvers<string>();
  const first = semaphore(() => blocker.promise, cancelAt(deadline));
  const second = semaphore(async () => 'second', cancelAt(createManualDeadline()));
  deadline.expire();
  blocker.resolve('first');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('the deadline of a finished task removes no other task from the queue', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 2 });
  const deadline = createManualDeadline();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const first = semaphore(() => gates[0].promise);
  const second = semaphore(() => gates[1].promise, cancelAt(deadline));
  const third = semaphore(async () => 'third');
  gates[0].resolve();
  await first;
  deadline.expire();
  gates[1].resolve();
  await second;
  expect(await third).toBe('third');
});

test('a concurrency below one is rejected', () => {
  for (const concurrency of [0, -1, 0.5, Number.NaN])
    expect(() => createSemaphore({ concurrency, waitingMax: 1 })).toThrow(RangeError);
});
