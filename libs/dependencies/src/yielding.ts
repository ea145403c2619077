import { setImmediate } from 'node:timers/promises';

/**
 * The time between two yields: long enough that yielding costs nothing, and short enough that the wait is not
 * noticeable.
 */
const sliceMs = 4;

/**
 * Returns a function that yields to the event loop if four milliseconds have passed since the last yield. Call it in
 * loops over 10,000 or more items, and between the parts of large bodies. Shorter work does not need it.
 */
export const createYielder = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await setImmediate();
    since = performance.now();
  };
};
