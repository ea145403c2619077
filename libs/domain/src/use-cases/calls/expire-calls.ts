import { callRetentionDays } from '../../calls/pending-call.ts';
import { dayMs } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';

const batchSize = 1_000;

/**
 * Deletes the arguments of expired calls, and removes calls beyond the retention, at most 1,000 of each; returns the
 * number of both. Callers repeat the call until none are left.
 */
export const expireCalls =
  ({ calls, clock }: Pick<Ports, 'calls' | 'clock'>) =>
  async (): Promise<number> => {
    const now = clock.now();
    const expiredCount = await calls.expire(now, batchSize);
    return expiredCount + (await calls.prune(now - callRetentionDays * dayMs, batchSize));
  };
