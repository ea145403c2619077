import { type JobKind, jobKinds } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** So many of each kind are offered at once. */
const relayBatch = 500;

/**
 * Offers the jobs that are due to the queue; returns how many. Every process that works jobs does so, so that none has to be there
 * for the others: what several offer at once is claimed once.
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
