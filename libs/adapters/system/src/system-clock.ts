import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@portico/domain';

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  turn: () => setImmediate(),
};
