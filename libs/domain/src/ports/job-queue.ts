import type { JobId } from '../ids.ts';
import type { JobKind } from '../jobs/job.ts';

/**
 * Hands jobs of the outbox to whoever works them. It may lose an id (the outbox offers it again) and may hand one over
 * twice (claiming it decides). Each kind of job is worked by itself, so that none waits for a server that another kind needs.
 */
export interface JobQueue {
  /** Returns at once in every case: a queue that is down costs no caller anything. */
  offer(kind: JobKind, ids: readonly JobId[]): void;
  /** Begins to work what is offered, a bounded number of each kind at a time. `work` does not reject. */
  start(work: (id: JobId) => Promise<void>): void;
  /** Takes nothing more and waits for what is under way. */
  stop(): Promise<void>;
}
