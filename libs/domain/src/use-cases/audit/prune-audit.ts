import type { Ports } from '../../ports/index.ts';

const pruneBatch = 1_000;

/**
 * Removes the oldest entries beyond the retention, at most 1,000; returns how many. Callers repeat it until none are
 * left, so that other work gets its turn in between.
 */
export const pruneAudit =
  ({ audit, clock }: Pick<Ports, 'audit' | 'clock'>) =>
  (retentionDays: number): Promise<number> =>
    audit.prune(clock.now() - retentionDays * 86_400_000, pruneBatch);
