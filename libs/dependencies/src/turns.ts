import { setImmediate } from 'node:timers/promises';

/** Returns what lets others have their turn of the event loop, if the last one was at least `turnMs` ago. */
export const createTurns = (turnMs = 4): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return;
    await setImmediate();
    since = performance.now();
  };
};
