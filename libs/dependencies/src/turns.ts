import { setImmediate } from 'node:timers/promises';

/** How long the work goes on before others have their turn. */
const turnMs = 4;

/** Returns what lets others have their turn of the event loop, if the last one was some milliseconds ago. */
export const createTurns = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return;
    await setImmediate();
    since = performance.now();
  };
};
