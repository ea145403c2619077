import { onTestFinished, vi } from 'vitest';

/**
 * For the rest of the test, each reading of the clock advances it by four milliseconds, so that every yielder yields.
 */
export const yieldEveryTime = (): void => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 4));
  onTestFinished(() => clock.mockRestore());
};
