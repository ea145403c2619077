import * as promised from 'node:timers/promises';

/** The timers of real time, also in a test that has stopped its own. */
export const { setTimeout, clearTimeout } = globalThis;

/** Waits in real time. */
export const sleep = promised.setTimeout;
