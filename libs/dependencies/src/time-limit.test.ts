import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fulfillsWithin, settlesWithin, TimeoutExceeded, rejectOnTimeout } from './time-limit.ts';

const pendingPromise = new Promise<never>(() => undefined);

test('a promise that settles in time determines the outcome', async () => {
  await expect(rejectOnTimeout(10_000, Promise.resolve('done'))).resolves.toBe('done');
  await expect(rejectOnTimeout(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a promise that takes longer results in an error that names the limit', async () => {
  await expect(rejectOnTimeout(5, pendingPromise)).rejects.toThrow(new TimeoutExceeded('no response within 5 ms'));
  await expect(rejectOnTimeout(-1, pendingPromise)).rejects.toBeInstanceOf(TimeoutExceeded);
});

test('a late failure is not an unhandled rejection', async () => {
  const lateFailure = pause(20).then(() => Promise.reject(new Error('late')));
  await expect(rejectOnTimeout(1, lateFailure)).rejects.toBeInstanceOf(TimeoutExceeded);
  await expect(lateFailure).rejects.toThrow('late');
});

test('a promise that does not fulfill in time is distinguished from one that rejects', async () => {
  expect(await fulfillsWithin(10_000, Promise.resolve('done'))).toBe(true);
  expect(await fulfillsWithin(5, pendingPromise)).toBe(false);
  await expect(fulfillsWithin(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a failure in time counts as settled', async () => {
  expect(await settlesWithin(10_000, Promise.reject(new Error('failed')))).toBe(true);
  expect(await settlesWithin(5, pendingPromise)).toBe(false);
});
