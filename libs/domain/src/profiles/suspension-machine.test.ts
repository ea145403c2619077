import { expect, test } from 'vitest';
import { isSuspended, getNextSuspension } from './suspension-machine.ts';

const active = { suspendedAt: null };
const suspended = { suspendedAt: 5 };

test('a profile is suspended from the given time on, and resuming it removes that time', () => {
  expect(getNextSuspension(active, 'suspend', 7)).toBe(7);
  expect(getNextSuspension(suspended, 'resume', 7)).toBeNull();
});

test('a suspended profile cannot be suspended, and an active one cannot be resumed', () => {
  expect(() => getNextSuspension(suspended, 'suspend', 7)).toThrow('User already suspended');
  expect(() => getNextSuspension(active, 'resume', 7)).toThrow('User not suspended');
});

test('an instant of 0 counts as suspended', () => {
  expect([active, suspended, { suspendedAt: 0 }].map(isSuspended)).toEqual([false, true, true]);
});
