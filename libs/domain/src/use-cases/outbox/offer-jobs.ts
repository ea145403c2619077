import { jobKinds } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** How many jobs of each kind are offered at once. */
export const offeredAtOnce = 500;

/**
 * Offers the jobs of every change to the queue as soon as they are durable, whichever use case wrote them; of more than
 * 500 of a kind, the relay offers the rest, so that none that comes later waits behind all of them.
 */
export const offerWritten = ({ outbox, queue }: Pick<Ports, 'outbox' | 'queue'>): void =>
  outbox.whenWritten((jobs) => {
    for (const kind of jobKinds) {
      const ids = jobs.flatMap(({ id, task }) => (task.kind === kind ? [id] : []));
      if (ids.length > 0) queue.offer(kind, ids.slice(0, offeredAtOnce));
    }
  });
