import type { Ports } from '../../ports/index.ts';

const pruneBatch = 1_000;

/**
 * Removes the oldest of the entries that are older than the retention, 1,000 at most; returns how many, so that whoever asks goes on
 * until there are none, and others come to their turn between.
 */
export const pruneAudit =
  ({ audit, clock }: Pick<Ports, 'audit' | 'clock'>) =>
  (retentionDays: number): Promise<number> =>
    audit.prune(clock.now() - retentionDays * 86_400_000, pruneBatch);
