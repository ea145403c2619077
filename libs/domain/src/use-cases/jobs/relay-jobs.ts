import { type JobKind, jobKinds } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** So many of each kind are offered at once. */
const relayBatch = 500;

/**
 * Offers the jobs that are due to the queue; returns how many. Every process that works jobs does so, so that none has to be
 * there for the others: what several offer at once is claimed once.
 */
export const relayJobs =
  ({ outbox, queue, clock }: Pick<Ports, 'outbox' | 'queue' | 'clock'>) =>
  async (): Promise<number> => {
    const now = clock.now();
    const offerDue = async (kind: JobKind): Promise<number> => {
      const due = await outbox.due(kind, now, relayBatch);
      queue.offer(kind, due);
      return due.length;
    };
    const offered = await Promise.all(jobKinds.map(offerDue));
    return offered.reduce((sum, count) => sum + count, 0);
  };

/** How many jobs wait or are dead letters, and for how long the longest due one has been waiting (0 where none is due). */
export const readOutboxState =
  ({ outbox, clock }: Pick<Ports, 'outbox' | 'clock'>) =>
  async (): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueSeconds: number }> => {
    const now = clock.now();
    const { waiting, deadLetters, oldestDueAt } = await outbox.state(now);
    return {
      waiting,
      deadLetters,
      oldestDueSeconds: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000,
    };
  };
