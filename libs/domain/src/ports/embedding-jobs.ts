import type { CollectionId } from '../ids.ts';
import type { ReindexRun } from '../search/reindex-run.ts';
import type { Effects } from './effects.ts';

/** The outbox jobs that embed collections, and the runs that embed all of them again. */
export interface EmbeddingJobs {
  /** Collections with a waiting job, leased and postponed ones included. A dead letter does not wait. */
  awaited(): Promise<ReadonlySet<CollectionId>>;

  /** Collections whose job is a dead letter. */
  deadLettered(): Promise<ReadonlySet<CollectionId>>;

  /**
   * Adds the jobs, except for collections that a job is already waiting for: concurrent calls add one for each
   * collection. An added job replaces the dead letters of its collection. Adds all of them or, if one fails, none; what
   * earlier calls added stays.
   */
  enqueue(effects: Effects): Promise<void>;

  /**
   * Records a run with its jobs, unless jobs of the last run still wait; returns the run that is under way. `plan` gets
   * the ids of all collections.
   */
  startRun(plan: (collections: readonly CollectionId[]) => Effects & { readonly run: ReindexRun }): Promise<ReindexRun>;

  /** The last run, with how many of its jobs still wait and how many are dead letters; or null. */
  lastRun(): Promise<(ReindexRun & { readonly waiting: number; readonly failed: number }) | null>;
}
