import type { Collection } from '../collections/collection.ts';
import type { OperationTexts } from '../documents/operation.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

/** What operations are embedded as part of. */
export type OperationsOwner = Pick<Collection, 'name' | 'description' | 'baseUrl'>;

/** Vectors, one for each operation, and the one model that made them. */
export interface EmbeddedOperations {
  readonly modelId: string;
  readonly vectors: readonly HybridVector[];
}

export interface EmbeddedQuestion {
  readonly modelId: string;
  readonly vector: HybridVector;
}

/** Called again and again by work that may take long. Rejects if the work is to end there. */
export type Checkpoint = () => Promise<void>;

/** Turns operations and questions for them into vectors. */
export interface OperationEmbedder {
  /**
   * An id of the model and its version, which changes whenever the vector of an operation would. A model can change
   * between any two calls, so callers that keep or compare a vector use the id that came with it. Throws
   * `embedding_unavailable` while no id is known.
   */
  modelId(): Promise<string>;

  /**
   * Returns one vector for each operation, in the same order, the same whatever other operations are embedded with it.
   * Lets others have their turn every few milliseconds, and passes a checkpoint at least every 15 s: what that throws,
   * it throws. Throws `embedding_unavailable` if it cannot embed.
   */
  embedOperations(
    owner: OperationsOwner,
    operations: readonly OperationTexts[],
    checkpoint: Checkpoint,
  ): Promise<EmbeddedOperations>;

  /** The vector of a question. Throws `embedding_unavailable` if it cannot embed. */
  embedQuestion(text: string): Promise<EmbeddedQuestion>;
}
