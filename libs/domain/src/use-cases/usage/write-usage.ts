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
  ({ usage, uses: counter }: Pick<Ports, 'usage'> & WithUsageCounter) =>
  async (): Promise<number> => {
    const { uses, operations } = counter.take();
    await writeInBatches(
      uses,
      (batch) => usage.add(batch),
      (rest) => counter.putBack({ uses: rest, operations }),
    );
    await writeInBatches(
      operations,
      (batch) => usage.addOperations(batch),
      (rest) => counter.putBack({ uses: [], operations: rest }),
    );
    return counter.takeLostCount();
  };

/** Passes the counts that could not be written to `putBack`, and throws the error. */
const writeInBatches = async <Use>(
  uses: readonly Use[],
  write: (batch: readonly Use[]) => Promise<void>,
  putBack: (rest: readonly Use[]) => void,
): Promise<void> => {
  for (let start = 0; start < uses.length; start += batchMax) {
    try {
      await write(uses.slice(start, start + batchMax));
    } catch (error) {
      putBack(uses.slice(start));
      throw error;
    }
  }
};

const pruneBatchSize = 1_000;

/**
 * Removes counts beyond the retention, at most 1,000; returns the number removed. Callers repeat the call until none
 * are left.
 */
export const pruneUsage =
  ({ usage, clock }: Pick<Ports, 'usage' | 'clock'>) =>
  async (): Promise<number> => {
    const before = dayOf(clock.now()) - usageRetentionDays;
    const removed = await usage.prune(before, pruneBatchSize);
    return removed + (await usage.pruneOperations(before, pruneBatchSize - removed));
  };
