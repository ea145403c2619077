import { performance } from 'node:perf_hooks';
import type { Clock } from '@portico/domain';

/** This machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
