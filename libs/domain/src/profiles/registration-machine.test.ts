import { expect, test } from 'vitest';
import { nextStatus } from './registration-machine.ts';

test('a pending profile can be approved, rejected and promoted', () => {
  expect(nextStatus('pending', 'approve')).toBe('approved');
  expect(nextStatus('pending', 'reject')).toBe('rejected');
  expect(nextStatus('pending', 'promote')).toBe('approved');
});

test.each(['approve', 'reject'] as const)('an approved or a rejected profile rejects the event %s', (event) => {
  expect(() => nextStatus('approved', event)).toThrow('User already approved');
  expect(() => nextStatus('rejected', event)).toThrow('User already rejected');
});

test('only a rejected profile can be reopened, and is pending again', () => {
  expect(nextStatus('rejected', 'reopen')).toBe('pending');
  expect(() => nextStatus('pending', 'reopen')).toThrow('User not rejected');
  expect(() => nextStatus('approved', 'reopen')).toThrow('User already approved');
});

test('an approved profile can be promoted, a rejected one cannot', () => {
  expect(nextStatus('approved', 'promote')).toBe('approved');
  expect(() => nextStatus('rejected', 'promote')).toThrow('User already rejected');
});
