import type { Ports } from '../../ports/index.ts';
import { dayOf, usageRetentionDays } from '../../usage/usage.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';

/**
 * The number of rows that one statement writes. SQLite runs the statement in this thread, in about ten milliseconds.
 */
const batchMax = 1_000;

/**
 * Writes the counts since the last call. Counts that cannot be written are kept in memory for the next call, and the
 * error is thrown. Returns the number of uses that were lost because earlier ones could not be written for too long.
 */
export const writeUsage =
  ({ usage, uses }: Pick<Ports, 'usage'> & WithUsageCounter) =>
  async (): Promise<number> => {
    const batch = uses.take();
    for (let start = 0; start < batch.length; start += batchMax) {
      try {
        await usage.add(batch.slice(start, start + batchMax));
      } catch (error) {
        uses.putBack(batch.slice(start));
        throw error;
      }
    }
    return uses.takeLostCount();
  };

const pruneBatchSize = 1_000;

/**
 * Removes counts beyond the retention, at most 1,000; returns the number removed. Callers repeat the call until none
 * are left.
 */
export const pruneUsage =
  ({ usage, clock }: Pick<Ports, 'usage' | 'clock'>) =>
  (): Promise<number> =>
    usage.prune(dayOf(clock.now()) - usageRetentionDays, pruneBatchSize);
