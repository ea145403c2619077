import { expect, test } from 'vitest';
import { isSuspended, nextSuspension } from './suspension-machine.ts';

const active = { suspendedAt: null };
const suspended = { suspendedAt: 5 };

test('a profile is suspended from the given time on, and resumed without a trace', () => {
  expect(nextSuspension(active, 'suspend', 7)).toBe(7);
  expect(nextSuspension(suspended, 'resume', 7)).toBeNull();
});

test('a suspended profile cannot be suspended, and an active one cannot be resumed', () => {
  expect(() => nextSuspension(suspended, 'suspend', 7)).toThrow('User already suspended');
  expect(() => nextSuspension(active, 'resume', 7)).toThrow('User not suspended');
});

test('an instant of 0 counts as suspended', () => {
  expect([active, suspended, { suspendedAt: 0 }].map(isSuspended)).toEqual([false, true, true]);
});
