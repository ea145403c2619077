import { expect, onTestFinished, test, vi } from 'vitest';
import { createYielder } from './yielding.ts';

test('yields after four milliseconds of work, and not before', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const yieldToEventLoop = createYielder();
  let callbacks = 0;
  const callbacksAt = async (ms: number): Promise<number> => {
    clock.mockReturnValue(ms);
    setImmediate(() => (callbacks += 1));
    await yieldToEventLoop();
    return callbacks;
  };
  expect(await callbacksAt(3.9)).toBe(0);
  expect(await callbacksAt(4)).toBe(2);
  // The next slice begins when the yield returns.
  expect(await callbacksAt(7.9)).toBe(2);
  expect(await callbacksAt(8)).toBe(4);
});
