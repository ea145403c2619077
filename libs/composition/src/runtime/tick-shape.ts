import { executionAsyncResource } from 'node:async_hooks';

/** Ends with the process. */
const kept: object[] = [];

/**
 * Keeps an object of `process.nextTick` alive, so that the hidden class of these objects is. V8 holds it weakly: if a
 * collection of garbage finds no tick waiting, the class is gone, and the code that makes ticks is then compiled for any
 * class, two to four times as slow; a request makes four. Call it before the first full collection.
 */
export const keepTickShape = (): void => {
  process.nextTick(() => kept.push(executionAsyncResource()));
};
