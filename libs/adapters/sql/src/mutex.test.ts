import { createManualDeadline } from '@portico/contracts';
import { expect, test } from 'vitest';
import { Mutex } from './mutex.ts';

test('work runs one at a time, in order of arrival', async () => {
  const mutex = new Mutex();
  const steps: string[] = [];
  const work = (name: string) =>
    mutex.run(async () => {
      steps.push(name);
      await new Promise((resolve) => setTimeout(resolve, 5));
      steps.push(name);
    });
  await Promise.all(['a', 'b', 'c'].map(work));
  expect(steps.join('')).toBe('aabbcc');
});

test('failed work lets the next one run', async () => {
  const mutex = new Mutex();
  const failing = mutex.run(() => Promise.reject(new Error('no')));
  const next = mutex.run(async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('work that waits too long is rejected and never runs, and nothing overtakes running work', async () => {
  const mutex = new Mutex();
  const blocker = Promise.withResolvers<void>();
  const steps: string[] = [];
  const first = mutex.run(async () => {
    await blocker.promise;
    steps.push('first');
  });
  const lateWork = mutex.run(async () => steps.push('late'), { waitMs: 10 });
  const third = mutex.run(async () => steps.push('third'));
  await expect(lateWork).rejects.toThrow('within 10 ms');
  expect(steps).toEqual([]);
  blocker.resolve();
  await Promise.all([first, third]);
  expect(steps).toEqual(['first', 'third']);
});

test('work that expires before it starts is rejected and never runs, and nothing overtakes running work', async () => {
  const mutex = new Mutex();
  const deadline = createManualDeadline();
  const blocker = Promise.withResolvers<void>();
  const steps: string[] = [];
  const first = mutex.run(() => blocker.promise);
  const lateWorks = [{ deadline }, { deadline, waitMs: 60_000 }].map((limits) =>
    mutex.run(async () => steps.push('late'), limits),
  );
  const third = mutex.run(async () => steps.push('third'), { deadline: createManualDeadline() });
  deadline.expire();
  for (const work of lateWorks) await expect(work).rejects.toMatchObject({ code: 'timed_out' });
  expect(steps).toEqual([]);
  blocker.resolve();
  await Promise.all([first, third]);
  expect(steps).toEqual(['third']);
});

test('closing waits for earlier work, and rejects later work', async () => {
  const mutex = new Mutex();
  const blocker = Promise.withResolvers<void>();
  let isDone = false;
  const earlierWork = mutex.run(async () => {
    await blocker.promise;
    isDone = true;
  });
  const closed = mutex.close().then(() => isDone);
  await expect(mutex.run(async () => undefined)).rejects.toThrow('closed');
  blocker.resolve();
  expect(await closed).toBe(true);
  await earlierWork;
});
