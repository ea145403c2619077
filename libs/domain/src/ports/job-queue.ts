import type { JobId } from '../ids.ts';
import type { JobKind } from '../jobs/job.ts';

/**
 * Hands outbox jobs to workers. It may lose an id (the relay offers it again) or deliver one twice (the claim decides).
 * Each kind of job has its own workers, so that none waits for a server that another kind needs.
 */
export interface JobQueue {
  /** Returns at once: a queue that is down delays no caller. */
  offer(kind: JobKind, ids: readonly JobId[]): void;
  /** Starts working on offered jobs, a bounded number of each kind at a time. `work` does not reject. */
  start(work: (id: JobId) => Promise<void>): void;
  /** Takes no new jobs, and waits for those under way. */
  stop(): Promise<void>;
}
