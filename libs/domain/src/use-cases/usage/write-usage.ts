import type { Ports } from '../../ports/index.ts';
import { dayOf, usageRetentionDays } from '../../usage/usage.ts';
import type { Counting } from '../../usage/usage-counter.ts';

/** One statement writes as many. SQLite runs it in this thread, in some ten milliseconds. */
const batchMax = 1_000;

/**
 * Writes what was counted since the last time. What cannot be written is kept for the next time, and the error thrown.
 * Returns how many uses were lost because the earlier ones could not be written for too long.
 */
export const writeUsage =
  ({ usage, uses }: Pick<Ports, 'usage'> & Counting) =>
  async (): Promise<number> => {
    const taken = uses.take();
    for (let at = 0; at < taken.length; at += batchMax) {
      try {
        await usage.add(taken.slice(at, at + batchMax));
      } catch (error) {
        uses.putBack(taken.slice(at));
        throw error;
      }
    }
    return uses.takeLost();
  };

const pruneBatch = 1_000;

/** Removes counts beyond the retention, at most 1,000; returns how many. Callers repeat it until none are left. */
export const pruneUsage =
  ({ usage, clock }: Pick<Ports, 'usage' | 'clock'>) =>
  (): Promise<number> =>
    usage.prune(dayOf(clock.now()) - usageRetentionDays, pruneBatch);
