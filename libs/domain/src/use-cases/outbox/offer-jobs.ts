import { jobKinds } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** The maximum number of jobs of each kind that are offered in one call. */
export const offerBatchSize = 500;

/**
 * Offers the jobs of every change to the queue as soon as they are durable, whichever use case wrote them. If there are
 * more than 500 jobs of a kind, the relay offers the rest, so that later jobs do not wait behind all of them.
 */
export const offerWrittenJobs = ({ outbox, queue }: Pick<Ports, 'outbox' | 'queue'>): void =>
  outbox.onWritten((jobs) => {
    for (const kind of jobKinds) {
      const ids = jobs.flatMap(({ id, task }) => (task.kind === kind ? [id] : []));
      if (ids.length > 0) queue.offer(kind, ids.slice(0, offerBatchSize));
    }
  });
