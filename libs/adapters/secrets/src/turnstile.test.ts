import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurnstile } from './turnstile.ts';

test('no more than so many run at once, everyone comes through in order, and a failure gives its place back', async () => {
  const turnstile = createTurnstile(2);
  let running = 0;
  let most = 0;
  const finished: number[] = [];
  const tasks = Array.from({ length: 20 }, (_, at) =>
    turnstile(async () => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      if (at % 5 === 0) throw new Error('failed');
      finished.push(at);
    }),
  );
  const settled = await Promise.allSettled(tasks);
  expect(most).toBe(2);
  expect(finished).toEqual([...finished].sort((a, b) => a - b));
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await turnstile(async () => 'free')).toBe('free');
});
