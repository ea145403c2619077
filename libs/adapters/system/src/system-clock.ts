import { performance } from 'node:perf_hooks';
import type { Clock } from '@portico/domain';

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
