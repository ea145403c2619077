import { expect, test } from 'vitest';
import type { Deadline } from '../deadline.ts';
import type { Profile } from '../profiles/profile.ts';
import { createCallerTurns } from './caller-turns.ts';
import type { Principal } from './principal.ts';

/** One thread that does one thing after the other, and a caller's way to it. */
const setUp = () => {
  const inTurn = createCallerTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (caller: string, what: string, deadline: Deadline | null = null) =>
    inTurn({ profile: { id: caller } as Profile, deadline } satisfies Pick<Principal, 'profile' | 'deadline'>, () => {
      begun.push(what);
      return new Promise<string>((resolve) => ends.push(() => resolve(what)));
    });
  /** Ends what was begun first, and lets what follows from it happen. */
  const endFirst = async (): Promise<void> => {
    ends.shift()?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { ask, begun, endFirst };
};

const deadlineByHand = () => {
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

test('one piece of each caller is done at a time, in order of arrival', async () => {
  const { ask, begun, endFirst } = setUp();
  const answers = [ask('ada', 'a1'), ask('ada', 'a2'), ask('ada', 'a3'), ask('bob', 'b1'), ask('bob', 'b2')];
  expect(begun).toEqual(['a1', 'b1']);
  for (let piece = 0; piece < 5; piece++) await endFirst();
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('two more of a caller wait, a further one is refused at once, and taken again once one is done', async () => {
  const { ask, begun, endFirst } = setUp();
  const three = [ask('ada', 'a1'), ask('ada', 'a2'), ask('ada', 'a3')];
  await expect(ask('ada', 'a4')).rejects.toMatchObject({ code: 'rate_limited' });
  const other = ask('bob', 'b1');
  await endFirst();
  const again = ask('ada', 'a5');
  await expect(ask('ada', 'a6')).rejects.toMatchObject({ code: 'rate_limited' });
  while (begun.length < 5) await endFirst();
  await endFirst();
  expect(await Promise.all([...three, other, again])).toEqual(['a1', 'a2', 'a3', 'b1', 'a5']);
});

test('what fails lets the next one begin, and a caller for whom nothing is left begins anew', async () => {
  const inTurn = createCallerTurns();
  const ada = { profile: { id: 'ada' } as Profile, deadline: null };
  const failing = inTurn(ada, () => Promise.reject(new Error('too large')));
  const next = inTurn(ada, async () => 'done');
  await expect(failing).rejects.toThrow('too large');
  expect([await next, await inTurn(ada, async () => 'again')]).toEqual(['done', 'again']);
});

test('what waits until its deadline expires is never begun, and leaves its place', async () => {
  const { ask, begun, endFirst } = setUp();
  const { deadline, expire } = deadlineByHand();
  const [first, late, third] = [ask('ada', 'a1'), ask('ada', 'late', deadline), ask('ada', 'a3')];
  expire();
  await expect(late).rejects.toMatchObject({ code: 'timed_out' });
  const fourth = ask('ada', 'a4');
  for (let piece = 0; piece < 3; piece++) await endFirst();
  expect(begun).toEqual(['a1', 'a3', 'a4']);
  expect(await Promise.all([first, third, fourth])).toEqual(['a1', 'a3', 'a4']);
});

test('what was begun keeps its turn after its deadline, until the thread is done with it', async () => {
  const { ask, begun, endFirst } = setUp();
  const [now, later] = [deadlineByHand(), deadlineByHand()];
  const begunAndLate = ask('ada', 'a1', now.deadline);
  const next = ask('ada', 'a2', later.deadline);
  now.expire();
  await expect(begunAndLate).rejects.toMatchObject({ code: 'timed_out' });
  expect(begun).toEqual(['a1']);
  await endFirst();
  expect(begun).toEqual(['a1', 'a2']);
  await endFirst();
  expect(await next).toBe('a2');
});

test('a deadline that has expired before takes nobody the next turn', async () => {
  const inTurn = createCallerTurns();
  const { deadline, expire } = deadlineByHand();
  expire();
  const late = inTurn({ profile: { id: 'ada' } as Profile, deadline }, async () => 'unwanted');
  await expect(late).rejects.toMatchObject({ code: 'timed_out' });
  expect(await inTurn({ profile: { id: 'ada' } as Profile, deadline: null }, async () => 'next')).toBe('next');
});
