import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** Tells the queue of jobs that were just stored. */
export const offerJobs = ({ queue }: Pick<Ports, 'queue'>, jobs: readonly NewJob[]): void => {
  for (const { id, task } of jobs) queue.offer(task.kind, [id]);
};
