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
  const failingRun = mutex.run(() => Promise.reject(new Error('no')));
  const next = mutex.run(async () => 'done');
  await expect(failingRun).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('work that waits too long is rejected and never runs, and nothing overtakes running work', async () => {
  const mutex = new Mutex();
  const blocker = Promise.withResolvers<void>();
  const steps: string[] = [];
  const firstRun = mutex.run(async () => {
    await blocker.promise;
    steps.push('first');
  });
  const lateRun = mutex.run(async () => steps.push('late'), { waitMs: 10 });
  const thirdRun = mutex.run(async () => steps.push('third'));
  await expect(lateRun).rejects.toThrow('within 10 ms');
  expect(steps).toEqual([]);
  blocker.resolve();
  await Promise.all([firstRun, thirdRun]);
  expect(steps).toEqual(['first', 'third']);
});

test('work that expires before it starts is rejected and never runs, and nothing overtakes running work', async () => {
  const mutex = new Mutex();
  const deadline = createManualDeadline();
  const blocker = Promise.withResolvers<void>();
  const steps: string[] = [];
  const firstRun = mutex.run(() => blocker.promise);
  const lateRuns = [{ deadline }, { deadline, waitMs: 60_000 }].map((limits) =>
    mutex.run(async () => steps.push('late'), limits),
  );
  const thirdRun = mutex.run(async () => steps.push('third'), { deadline: createManualDeadline() });
  deadline.expire();
  for (const lateRun of lateRuns) await expect(lateRun).rejects.toMatchObject({ code: 'timed_out' });
  expect(steps).toEqual([]);
  blocker.resolve();
  await Promise.all([firstRun, thirdRun]);
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
  const closeResult = mutex.close().then(() => isDone);
  await expect(mutex.run(async () => undefined)).rejects.toThrow('closed');
  blocker.resolve();
  expect(await closeResult).toBe(true);
  await earlierWork;
});
