import { expect, test } from 'vitest';
import type { Deadline } from '../deadline.ts';
import type { Profile } from '../profiles/profile.ts';
import { createCallerQueue } from './caller-queue.ts';
import type { Principal } from './principal.ts';

/** Simulates a thread that runs one task at a time, and returns a function to request work from it. */
const setUp = () => {
  const enqueue = createCallerQueue();
  const started: string[] = [];
  const finishers: (() => void)[] = [];
  const request = (caller: string, name: string, deadline: Deadline | null = null) =>
    enqueue({ profile: { id: caller } as Profile, deadline } satisfies Pick<Principal, 'profile' | 'deadline'>, () => {
      started.push(name);
      return new Promise<string>((resolve) => finishers.push(() => resolve(name)));
    });
  /** Finishes the oldest running task, then lets its follow-up work run. */
  const finishOldest = async (): Promise<void> => {
    finishers.shift()?.();
    for (let microtask = 0; microtask < 10; microtask++) await Promise.resolve();
  };
  return { request, started, finishOldest };
};

const manualDeadline = () => {
  const callbacks = new Set<() => void>();
  let expired = false;
  const deadline: Deadline = {
    get expired() {
      return expired;
    },
    beginCommit: () => undefined,
    onExpired: (callback) => {
      if (expired) callback();
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
  const expire = (): void => {
    expired = true;
    for (const callback of callbacks) callback();
  };
  return { deadline, expire };
};

test('one task of each caller runs at a time, in order of arrival', async () => {
  const { request, started, finishOldest } = setUp();
  const results = [
    request('ada', 'a1'),
    request('ada', 'a2'),
    request('ada', 'a3'),
    request('bob', 'b1'),
    request('bob', 'b2'),
  ];
  expect(started).toEqual(['a1', 'b1']);
  for (let task = 0; task < 5; task++) await finishOldest();
  expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('two more tasks of a caller wait, a further one is rejected immediately, and accepted again once one is done', async () => {
  const { request, started, finishOldest } = setUp();
  const three = [request('ada', 'a1'), request('ada', 'a2'), request('ada', 'a3')];
  await expect(request('ada', 'a4')).rejects.toMatchObject({ code: 'rate_limited' });
  const other = request('bob', 'b1');
  await finishOldest();
  const accepted = request('ada', 'a5');
  await expect(request('ada', 'a6')).rejects.toMatchObject({ code: 'rate_limited' });
  while (started.length < 5) await finishOldest();
  await finishOldest();
  expect(await Promise.all([...three, other, accepted])).toEqual(['a1', 'a2', 'a3', 'b1', 'a5']);
});

test('a failed task lets the next one start, and a caller without waiting tasks starts from scratch', async () => {
  const enqueue = createCallerQueue();
  const ada = { profile: { id: 'ada' } as Profile, deadline: null };
  const failing = enqueue(ada, () => Promise.reject(new Error('too large')));
  const next = enqueue(ada, async () => 'done');
  await expect(failing).rejects.toThrow('too large');
  expect([await next, await enqueue(ada, async () => 'again')]).toEqual(['done', 'again']);
});

test('a task that waits until its deadline expires is never started, and leaves the queue', async () => {
  const { request, started, finishOldest } = setUp();
  const { deadline, expire } = manualDeadline();
  const [first, late, third] = [request('ada', 'a1'), request('ada', 'late', deadline), request('ada', 'a3')];
  expire();
  await expect(late).rejects.toMatchObject({ code: 'timed_out' });
  const fourth = request('ada', 'a4');
  for (let task = 0; task < 3; task++) await finishOldest();
  expect(started).toEqual(['a1', 'a3', 'a4']);
  expect(await Promise.all([first, third, fourth])).toEqual(['a1', 'a3', 'a4']);
});

test('a running task blocks the next one after its deadline, until the thread is done with it', async () => {
  const { request, started, finishOldest } = setUp();
  const [first, second] = [manualDeadline(), manualDeadline()];
  const running = request('ada', 'a1', first.deadline);
  const next = request('ada', 'a2', second.deadline);
  first.expire();
  await expect(running).rejects.toMatchObject({ code: 'timed_out' });
  expect(started).toEqual(['a1']);
  await finishOldest();
  expect(started).toEqual(['a1', 'a2']);
  await finishOldest();
  expect(await next).toBe('a2');
});

test('a task whose deadline has already expired does not delay the next one', async () => {
  const enqueue = createCallerQueue();
  const { deadline, expire } = manualDeadline();
  expire();
  const late = enqueue({ profile: { id: 'ada' } as Profile, deadline }, async () => 'never');
  await expect(late).rejects.toMatchObject({ code: 'timed_out' });
  expect(await enqueue({ profile: { id: 'ada' } as Profile, deadline: null }, async () => 'next')).toBe('next');
});
