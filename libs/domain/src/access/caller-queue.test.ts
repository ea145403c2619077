import { expect, test } from 'vitest';
import type { Deadline } from '../deadline.ts';
import type { Profile } from '../profiles/profile.ts';
import { createCallerQueue } from './caller-queue.ts';
import type { Principal } from './principal.ts';

/** Simulates a thread that runs one task at a time, and returns a function to request work from it. */
const setUp = () => {
  const enqueue = createCallerQueue();
  const startedTasks: string[] = [];
  const finishers: (() => void)[] = [];
  const request = (caller: string, name: string, deadline: Deadline | null = null) =>
    enqueue({ profile: { id: caller } as Profile, deadline } satisfies Pick<Principal, 'profile' | 'deadline'>, () => {
      startedTasks.push(name);
      return new Promise<string>((resolve) => finishers.push(() => resolve(name)));
    });
  /** Finishes the oldest running task, then lets its follow-up work run. */
  const finishOldest = async (): Promise<void> => {
    finishers.shift()?.();
    for (let microtask = 0; microtask < 10; microtask++) await Promise.resolve();
  };
  return { request, startedTasks, finishOldest };
};

const manualDeadline = () => {
  const callbacks = new Set<() => void>();
  let hasExpired = false;
  const deadline: Deadline = {
    get hasExpired() {
      return hasExpired;
    },
    beginCommit: () => undefined,
    suspend: () => undefined,
    restart: () => undefined,
    onExpired: (callback) => {
      if (hasExpired) callback();
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
  const expire = (): void => {
    hasExpired = true;
    for (const callback of callbacks) callback();
  };
  return { deadline, expire };
};

test('one task of each caller runs at a time, in order of arrival', async () => {
  const { request, startedTasks, finishOldest } = setUp();
  const results = [
    request('ada', 'a1'),
    request('ada', 'a2'),
    request('ada', 'a3'),
    request('bob', 'b1'),
    request('bob', 'b2'),
  ];
  expect(startedTasks).toEqual(['a1', 'b1']);
  for (let i = 0; i < 5; i++) await finishOldest();
  expect(startedTasks).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('two more tasks of a caller can wait; a further task is rejected immediately, and accepted when one is done', async () => {
  const { request, startedTasks, finishOldest } = setUp();
  const requests = [request('ada', 'a1'), request('ada', 'a2'), request('ada', 'a3')];
  await expect(request('ada', 'a4')).rejects.toMatchObject({ code: 'rate_limited' });
  const bobsRequest = request('bob', 'b1');
  await finishOldest();
  const laterRequest = request('ada', 'a5');
  await expect(request('ada', 'a6')).rejects.toMatchObject({ code: 'rate_limited' });
  while (startedTasks.length < 5) await finishOldest();
  await finishOldest();
  expect(await Promise.all([...requests, bobsRequest, laterRequest])).toEqual(['a1', 'a2', 'a3', 'b1', 'a5']);
});

test('the next task starts after a task fails, and a caller without waiting tasks can start a new one', async () => {
  const enqueue = createCallerQueue();
  const ada = { profile: { id: 'ada' } as Profile, deadline: null };
  const failedTask = enqueue(ada, () => Promise.reject(new Error('too large')));
  const nextTask = enqueue(ada, async () => 'done');
  await expect(failedTask).rejects.toThrow('too large');
  expect([await nextTask, await enqueue(ada, async () => 'again')]).toEqual(['done', 'again']);
});

test('a task that waits until its deadline expires is never started, and leaves the queue', async () => {
  const { request, startedTasks, finishOldest } = setUp();
  const { deadline, expire } = manualDeadline();
  const [firstTask, lateTask, thirdTask] = [
    request('ada', 'a1'),
    request('ada', 'late', deadline),
    request('ada', 'a3'),
  ];
  expire();
  await expect(lateTask).rejects.toMatchObject({ code: 'timed_out' });
  const fourthTask = request('ada', 'a4');
  for (let i = 0; i < 3; i++) await finishOldest();
  expect(startedTasks).toEqual(['a1', 'a3', 'a4']);
  expect(await Promise.all([firstTask, thirdTask, fourthTask])).toEqual(['a1', 'a3', 'a4']);
});

test('a running task still blocks the next one after its deadline, until the thread is done with it', async () => {
  const { request, startedTasks, finishOldest } = setUp();
  const [firstDeadline, secondDeadline] = [manualDeadline(), manualDeadline()];
  const runningTask = request('ada', 'a1', firstDeadline.deadline);
  const nextTask = request('ada', 'a2', secondDeadline.deadline);
  firstDeadline.expire();
  await expect(runningTask).rejects.toMatchObject({ code: 'timed_out' });
  expect(startedTasks).toEqual(['a1']);
  await finishOldest();
  expect(startedTasks).toEqual(['a1', 'a2']);
  await finishOldest();
  expect(await nextTask).toBe('a2');
});

test('a task whose deadline has already expired does not delay the next one', async () => {
  const enqueue = createCallerQueue();
  const { deadline, expire } = manualDeadline();
  expire();
  const lateTask = enqueue({ profile: { id: 'ada' } as Profile, deadline }, async () => 'never');
  await expect(lateTask).rejects.toMatchObject({ code: 'timed_out' });
  expect(await enqueue({ profile: { id: 'ada' } as Profile, deadline: null }, async () => 'next')).toBe('next');
});
