import type { Instant } from '../instant.ts';

/** A run that embeds everything again. Its jobs are in the outbox, with its id as their group. */
export interface ReindexRun {
  readonly id: string;
  /** The number of collections when the run started, and thus the number of its jobs. */
  readonly total: number;
  readonly startedAt: Instant;
}

export interface ReindexProgress {
  /** The id of the run, which is also the group of its jobs. */
  readonly jobId: string;
  /** `done` once no job is waiting, even if some are dead letters. */
  readonly status: 'running' | 'done';
  readonly total: number;
  readonly done: number;
  /** Jobs that are dead letters. */
  readonly failed: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly startedAt: number;
}
