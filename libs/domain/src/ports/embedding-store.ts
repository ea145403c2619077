import type { CollectionId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';

export interface Embedding {
  readonly collectionId: CollectionId;
  /** Which model made it; vectors of two models are never compared. */
  readonly modelId: string;
  /** The `contentRevision` of the collection that it was made from. */
  readonly contentRevision: number;
  /** 768 finite numbers, of length 1. */
  readonly vector: Float32Array;
}

export interface EmbeddingChange {
  /** Greater than that of whatever was put before; not without gaps. */
  readonly sequence: number;
  readonly collectionId: CollectionId;
  readonly vector: Float32Array;
}

/** A run that embeds everything anew. Its jobs are in the outbox under its id as their group. */
export interface ReindexRun {
  readonly id: string;
  /** The collections that there were at its start: so many jobs. */
  readonly total: number;
  readonly startedAt: Instant;
}

/** The vectors of all collections: the truth that an index is a copy of. */
export interface EmbeddingStore {
  /**
   * Stores the embedding in place of the collection's earlier one, with the next `sequence`; but only if the collection
   * exists and its `contentRevision` is this one. Answers whether it was stored, so that a late result of an older text
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
   * Records a run with its jobs, unless the last one still has jobs that wait; answers the run that is under way.
   * `plan` sees the ids of all collections.
   */
  startRun(plan: (collections: readonly CollectionId[]) => Effects & { readonly run: ReindexRun }): Promise<ReindexRun>;

  /** The last run, with how many of its jobs still wait and how many were given up; or null. */
  lastRun(): Promise<(ReindexRun & { readonly waiting: number; readonly failed: number }) | null>;
}
