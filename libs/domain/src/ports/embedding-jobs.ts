import type { CollectionId } from '../ids.ts';
import type { ReindexRun } from '../search/reindex-run.ts';
import type { Effects } from './effects.ts';

/** The jobs of the outbox that embed collections, and the runs that embed all of them anew. */
export interface EmbeddingJobs {
  /** Collections that a job waits for, leased or put off ones included. A dead letter waits no more. */
  awaited(): Promise<ReadonlySet<CollectionId>>;

  /** Collections whose job is a dead letter. */
  deadLettered(): Promise<ReadonlySet<CollectionId>>;

  /**
   * Adds jobs, except those for a collection that is awaited already: of simultaneous calls each collection gets one. A job
   * that is added takes the place of the dead letters for its collection. All of them are added or, where one fails, none;
   * what earlier calls added stays.
   */
  enqueue(effects: Effects): Promise<void>;

  /**
   * Records a run with its jobs, unless the last one still has jobs that wait; returns the run that is under way.
   * `plan` sees the ids of all collections.
   */
  startRun(plan: (collections: readonly CollectionId[]) => Effects & { readonly run: ReindexRun }): Promise<ReindexRun>;

  /** The last run, with how many of its jobs still wait and how many are dead letters; or null. */
  lastRun(): Promise<(ReindexRun & { readonly waiting: number; readonly failed: number }) | null>;
}
