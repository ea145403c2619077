import type { CollectionId } from '../ids.ts';
import type { CollectionJobKind } from '../jobs/job.ts';
import type { ReindexRun } from '../search/reindex-run.ts';
import type { Effects } from './effects.ts';

/** The outbox jobs that embed collections and their operations, and the reindex runs that embed all of them again. */
export interface EmbeddingJobs {
  /**
   * Returns the collections with a waiting job of this kind, including leased and postponed ones. Dead letters do not
   * count.
   */
  listPending(kind: CollectionJobKind): Promise<ReadonlySet<CollectionId>>;

  /** Returns the collections whose job of this kind is a dead letter. */
  listDeadLettered(kind: CollectionJobKind): Promise<ReadonlySet<CollectionId>>;

  /**
   * Adds the jobs, except for collections that already have a waiting job of the same kind: concurrent calls add one
   * job for each collection. An added job replaces the dead letters of its kind and collection. Adds all of the jobs
   * or, if one fails, none; jobs added by earlier calls are kept.
   */
  enqueue(effects: Effects): Promise<void>;

  /**
   * Records a run with its jobs, unless jobs of the last run are still waiting; returns the run in progress. `plan`
   * gets the ids of all collections.
   */
  startRun(plan: (collections: readonly CollectionId[]) => Effects & { readonly run: ReindexRun }): Promise<ReindexRun>;

  /** Returns the last run with the number of its waiting jobs and of its dead letters, or null. */
  findLastRun(): Promise<(ReindexRun & { readonly waiting: number; readonly failed: number }) | null>;
}
