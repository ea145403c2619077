import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fulfilledWithin, settlesWithin, TookTooLong, within } from './time-limit.ts';

const never = new Promise<never>(() => undefined);

test('a promise that settles in time gives the outcome', async () => {
  await expect(within(10_000, Promise.resolve('done'))).resolves.toBe('done');
  await expect(within(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a promise that takes longer gives an error with the limit', async () => {
  await expect(within(5, never)).rejects.toThrow(new TookTooLong('no answer within 5 ms'));
  await expect(within(-1, never)).rejects.toBeInstanceOf(TookTooLong);
});

test('a failure that comes too late is not an unhandled rejection', async () => {
  const late = pause(20).then(() => Promise.reject(new Error('late')));
  await expect(within(1, late)).rejects.toBeInstanceOf(TookTooLong);
  await expect(late).rejects.toThrow('late');
});

test('a promise that does not fulfil in time is told apart from one that fails', async () => {
  expect(await fulfilledWithin(10_000, Promise.resolve('done'))).toBe(true);
  expect(await fulfilledWithin(5, never)).toBe(false);
  await expect(fulfilledWithin(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a failure in time counts as settled', async () => {
  expect(await settlesWithin(10_000, Promise.reject(new Error('failed')))).toBe(true);
  expect(await settlesWithin(5, never)).toBe(false);
});
