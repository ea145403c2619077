import { onTestFinished, vi } from 'vitest';

/**
 * Advances the clock by four milliseconds each time it is read, for the rest of the test, so that every yielder yields.
 */
export const yieldEveryTime = (): void => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 4));
  onTestFinished(() => clock.mockRestore());
};
