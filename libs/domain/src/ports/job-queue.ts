import type { JobId } from '../ids.ts';
import type { JobKind } from '../jobs/job.ts';

/**
 * Hands outbox jobs to workers. It may lose an id (the relay offers it again) or deliver one twice (only one claim
 * succeeds). Each kind of job has its own workers, so that no job waits for a server that only a different kind needs.
 */
export interface JobQueue {
  /** Offers jobs; returns immediately, so that a queue that is down delays no caller. */
  offer(kind: JobKind, ids: readonly JobId[]): void;
  /**
   * Starts working on offered jobs, with a bounded number of each kind running concurrently. `work` must not reject.
   */
  start(work: (id: JobId) => Promise<void>): void;
  /** Stops accepting jobs, and waits for those in progress. */
  stop(): Promise<void>;
}
