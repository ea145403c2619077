import { expect, test } from 'vitest';
import { getNextStatus } from './registration-machine.ts';

test('a pending profile can be approved, rejected and promoted', () => {
  expect(getNextStatus('pending', 'approve')).toBe('approved');
  expect(getNextStatus('pending', 'reject')).toBe('rejected');
  expect(getNextStatus('pending', 'promote')).toBe('approved');
});

test.each(['approve', 'reject'] as const)(
  'the event %s is not allowed for an approved or a rejected profile',
  (event) => {
    expect(() => getNextStatus('approved', event)).toThrow('User already approved');
    expect(() => getNextStatus('rejected', event)).toThrow('User already rejected');
  },
);

test('only a rejected profile can be reopened, which makes it pending again', () => {
  expect(getNextStatus('rejected', 'reopen')).toBe('pending');
  expect(() => getNextStatus('pending', 'reopen')).toThrow('User not rejected');
  expect(() => getNextStatus('approved', 'reopen')).toThrow('User already approved');
});

test('an approved profile can be promoted, but a rejected one cannot', () => {
  expect(getNextStatus('approved', 'promote')).toBe('approved');
  expect(() => getNextStatus('rejected', 'promote')).toThrow('User already rejected');
});
