import type { CollectionId } from '../ids.ts';
import type { Embedding, EmbeddingChange } from '../search/embedding.ts';
import type { ReindexRun } from '../search/reindex-run.ts';
import type { Effects } from './effects.ts';

/** The vectors of all collections: the truth that an index is a copy of. */
export interface EmbeddingStore {
  /**
   * Stores the embedding in place of the collection's earlier one, with the next `sequence`; but only if the collection
   * exists and its `contentRevision` is this one. Returns whether it was stored, so that a late result of an older text
   * is never kept.
   */
  put(embedding: Embedding): Promise<boolean>;

  /** Embeddings of this model with a sequence above `after`, in that order, at most `limit`. */
  changedSince(after: number, modelId: string, limit: number): Promise<readonly EmbeddingChange[]>;

  /** Collections whose embedding is missing, of another model, or made from an older text. */
  outdated(modelId: string): Promise<readonly CollectionId[]>;

  /** Collections that a job for an embedding waits for, leased or put off ones included. One that was given up waits no more. */
  awaited(): Promise<ReadonlySet<CollectionId>>;

  /** Collections of which a job for an embedding was given up. */
  givenUp(): Promise<ReadonlySet<CollectionId>>;

  /** How many collections there are, and how many have an embedding of this model that is up to date. */
  counts(modelId: string): Promise<{ readonly collections: number; readonly embedded: number }>;

  /**
   * Adds jobs for embeddings, except those for a collection that is awaited already: of simultaneous calls each collection gets
   * one. A job that is added takes the place of those for its collection that were given up. All of them or, where it fails, none; what earlier calls added stays.
   */
  enqueue(effects: Effects): Promise<void>;

  /**
   * Records a run with its jobs, unless the last one still has jobs that wait; returns the run that is under way.
   * `plan` sees the ids of all collections.
   */
  startRun(plan: (collections: readonly CollectionId[]) => Effects & { readonly run: ReindexRun }): Promise<ReindexRun>;

  /** The last run, with how many of its jobs still wait and how many were given up; or null. */
  lastRun(): Promise<(ReindexRun & { readonly waiting: number; readonly failed: number }) | null>;
}
