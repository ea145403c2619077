import * as promised from 'node:timers/promises';

/** Real timers, even in a test that has stopped time. */
export const { setTimeout, clearTimeout } = globalThis;

/** Waits in real time. */
export const sleep = promised.setTimeout;
