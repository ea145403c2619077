import { setImmediate } from 'node:timers/promises';

/** Long enough that yielding costs nothing, short enough that nobody notices the wait. */
const sliceMs = 4;

/**
 * Returns a function that yields to the event loop once four milliseconds have passed since it last did. Call it in
 * loops over 10,000 and more items, and between the parts of large bodies; nothing shorter needs it.
 */
export const createYielder = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await setImmediate();
    since = performance.now();
  };
};
