import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fulfillsWithin, settlesWithin, TimeoutExceeded, within } from './time-limit.ts';

const never = new Promise<never>(() => undefined);

test('a promise that settles in time determines the outcome', async () => {
  await expect(within(10_000, Promise.resolve('done'))).resolves.toBe('done');
  await expect(within(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a promise that takes longer results in an error with the limit', async () => {
  await expect(within(5, never)).rejects.toThrow(new TimeoutExceeded('no response within 5 ms'));
  await expect(within(-1, never)).rejects.toBeInstanceOf(TimeoutExceeded);
});

test('a late failure is not an unhandled rejection', async () => {
  const late = pause(20).then(() => Promise.reject(new Error('late')));
  await expect(within(1, late)).rejects.toBeInstanceOf(TimeoutExceeded);
  await expect(late).rejects.toThrow('late');
});

test('a promise that does not fulfill in time is distinguished from one that rejects', async () => {
  expect(await fulfillsWithin(10_000, Promise.resolve('done'))).toBe(true);
  expect(await fulfillsWithin(5, never)).toBe(false);
  await expect(fulfillsWithin(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a failure in time counts as settled', async () => {
  expect(await settlesWithin(10_000, Promise.reject(new Error('failed')))).toBe(true);
  expect(await settlesWithin(5, never)).toBe(false);
});
