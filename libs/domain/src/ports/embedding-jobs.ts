import type { CollectionId } from '../ids.ts';
import type { CollectionJobKind } from '../jobs/job.ts';
import type { ReindexRun } from '../search/reindex-run.ts';
import type { Effects } from './effects.ts';

/** The outbox jobs that embed collections and their operations, and the runs that embed all of them again. */
export interface EmbeddingJobs {
  /** Collections with a waiting job of this kind, leased and postponed ones included. A dead letter does not wait. */
  awaited(kind: CollectionJobKind): Promise<ReadonlySet<CollectionId>>;

  /** Collections whose job of this kind is a dead letter. */
  deadLettered(kind: CollectionJobKind): Promise<ReadonlySet<CollectionId>>;

  /**
   * Adds the jobs, except for collections that a job of the same kind is already waiting for: concurrent calls add one
   * for each collection. An added job replaces the dead letters of its kind and collection. Adds all of them or, if one
   * fails, none; what earlier calls added stays.
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
