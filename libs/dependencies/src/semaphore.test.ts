import { setImmediate as turn } from 'node:timers/promises';
import { deadlineByHand } from '@portico/contracts';
import { PorticoError, type Deadline } from '@portico/domain';
import { expect, test } from 'vitest';
import { createSemaphore as create, type Leave } from './semaphore.ts';

const overfull = (running: number, waiting: number) => new Error(`${running} run and ${waiting} wait`);
const createSemaphore = (limits: { readonly concurrency: number; readonly waitingMax: number }) =>
  create({ ...limits, overfull });
/** A waiting task leaves when its deadline expires. */
const by =
  (deadline: Deadline): Leave =>
  (giveUp) =>
    deadline.onExpired(() => giveUp(new PorticoError('timed_out')));

test('the number of running tasks is limited, all run in order, and a failed task frees its place', async () => {
  const semaphore = createSemaphore({ concurrency: 2, waitingMax: 18 });
  let running = 0;
  let most = 0;
  const finished: number[] = [];
  const tasks = Array.from({ length: 20 }, (_, at) =>
    semaphore(async () => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      if (at % 5 === 0) throw new Error('failed');
      finished.push(at);
    }),
  );
  const settled = await Promise.allSettled(tasks);
  expect(most).toBe(2);
  expect(finished).toEqual([...finished].sort((a, b) => a - b));
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a task that finds the queue full is refused, with the reason, and the others run', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 3 });
  let begun = 0;
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => semaphore(async () => ++begun)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 4 }, () => 'fulfilled'),
    ...Array.from({ length: 2 }, () => 'rejected'),
  ]);
  expect(begun).toBe(4);
  const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(refused).toEqual(new Error('1 run and 3 wait'));
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a task that expires while waiting leaves the queue and frees its place, and the others keep theirs', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 2 });
  const deadline = deadlineByHand();
  const held = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = semaphore(() => held.promise);
  const expiring = semaphore(async () => done.push('expired'), by(deadline));
  const second = semaphore(async () => done.push('second'));
  deadline.expire();
  await expect(expiring).rejects.toMatchObject({ code: 'timed_out' });
  const third = semaphore(async () => done.push('third'), by(deadlineByHand()));
  held.resolve();
  await Promise.all([first, second, third]);
  expect(done).toEqual(['second', 'third']);
  expect(await semaphore(async () => 'free')).toBe('free');
});

test('a running task is not stopped by its deadline', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 1 });
  const deadline = deadlineByHand();
  const held = Promise.withResolvers<string>();
  const first = semaphore(() => held.promise, by(deadline));
  const second = semaphore(async () => 'second', by(deadlineByHand()));
  deadline.expire();
  held.resolve('first');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('the deadline of a task that had its turn expels no other task', async () => {
  const semaphore = createSemaphore({ concurrency: 1, waitingMax: 2 });
  const deadline = deadlineByHand();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const first = semaphore(() => gates[0].promise);
  const second = semaphore(() => gates[1].promise, by(deadline));
  const third = semaphore(async () => 'third');
  gates[0].resolve();
  await first;
  deadline.expire();
  gates[1].resolve();
  await second;
  expect(await third).toBe('third');
});

test('a concurrency below one is refused', () => {
  for (const concurrency of [0, -1, 0.5, Number.NaN])
    expect(() => createSemaphore({ concurrency, waitingMax: 1 })).toThrow(RangeError);
});
