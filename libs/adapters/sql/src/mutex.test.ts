import { deadlineByHand } from '@portico/contracts';
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

test('work that waits too long is refused and never runs, and nothing overtakes running work', async () => {
  const mutex = new Mutex();
  const held = Promise.withResolvers<void>();
  const steps: string[] = [];
  const first = mutex.run(async () => {
    await held.promise;
    steps.push('first');
  });
  const late = mutex.run(async () => steps.push('late'), { waitMs: 10 });
  const third = mutex.run(async () => steps.push('third'));
  await expect(late).rejects.toThrow('within 10 ms');
  expect(steps).toEqual([]);
  held.resolve();
  await Promise.all([first, third]);
  expect(steps).toEqual(['first', 'third']);
});

test('work that expires before its turn is refused and never runs, and nothing overtakes running work', async () => {
  const mutex = new Mutex();
  const deadline = deadlineByHand();
  const held = Promise.withResolvers<void>();
  const steps: string[] = [];
  const first = mutex.run(() => held.promise);
  const late = [{ deadline }, { deadline, waitMs: 60_000 }].map((patience) =>
    mutex.run(async () => steps.push('late'), patience),
  );
  const third = mutex.run(async () => steps.push('third'), { deadline: deadlineByHand() });
  deadline.expire();
  for (const one of late) await expect(one).rejects.toMatchObject({ code: 'timed_out' });
  expect(steps).toEqual([]);
  held.resolve();
  await Promise.all([first, third]);
  expect(steps).toEqual(['third']);
});

test('closing waits for earlier work, and refuses later work', async () => {
  const mutex = new Mutex();
  const held = Promise.withResolvers<void>();
  let isDone = false;
  const before = mutex.run(async () => {
    await held.promise;
    isDone = true;
  });
  const closed = mutex.close().then(() => isDone);
  await expect(mutex.run(async () => undefined)).rejects.toThrow('closed');
  held.resolve();
  expect(await closed).toBe(true);
  await before;
});
