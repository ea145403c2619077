import type { JobId } from '../ids.ts';
import type { JobKind } from '../jobs/job.ts';

/**
 * Hands jobs of the outbox to workers. It may lose an id (the outbox offers it again) and may hand one over twice (claiming it
 * decides). Each kind of job is worked separately, so that none waits for a server that another kind needs.
 */
export interface JobQueue {
  /** Always returns at once: a queue that is down does not delay any caller. */
  offer(kind: JobKind, ids: readonly JobId[]): void;
  /** Starts working on offered jobs, a bounded number of each kind at a time. `work` does not reject. */
  start(work: (id: JobId) => Promise<void>): void;
  /** Takes no new jobs, and waits for those under way. */
  stop(): Promise<void>;
}
