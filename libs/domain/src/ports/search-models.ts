import type { Instant } from '../instant.ts';
import type { ModelProgress, SearchModel, SearchModelsState } from '../search/search-model.ts';

/** Which models have vectors, and which of them searches use: the same in all processes, at any time. */
export interface SearchModels {
  readState(): Promise<SearchModelsState>;

  /**
   * Records that a process has this model as its current one. A new model's `firstSeenAt` is `now`, or later than all
   * others' if a clock is behind. A known model's `firstSeenAt` does not change, and its `lastSeenAt` never decreases.
   */
  announce(modelId: string, now: Instant): Promise<void>;

  readProgress(from: string, to: string): Promise<ModelProgress>;

  /**
   * Makes searches use `to` from now on, unless they no longer use `from`, or would lose a collection: each collection
   * with a vector from `from` must have one from `to`, created from the same or a later revision of the text, or a dead letter. Returns
   * whether searches were switched.
   */
  promote(from: string | null, to: string): Promise<boolean>;

  /** Removes up to `limit` embeddings from a model; returns the number removed. Removes none from the serving model. */
  removeEmbeddings(modelId: string, limit: number): Promise<number>;

  /** Removes the record of a model, unless it has been announced since, is serving, or still has embeddings. */
  remove(model: SearchModel): Promise<void>;
}
