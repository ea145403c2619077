import { onTestFinished, vi } from 'vitest';

/** For the rest of the test four milliseconds pass with each look at the clock: whoever may yield to the event loop does. */
export const endSlicesAtOnce = (): void => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 4));
  onTestFinished(() => clock.mockRestore());
};
