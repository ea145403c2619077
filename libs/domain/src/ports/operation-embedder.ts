import type { Collection } from '../collections/collection.ts';
import type { OperationTexts } from '../documents/operation.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

/** What operations are embedded as part of. */
export type OperationsOwner = Pick<Collection, 'name' | 'description' | 'baseUrl'>;

/** Operations, a vector for each in the same order, and the one model that made them. */
export interface EmbeddedOperations<Embedded extends OperationTexts = OperationTexts> {
  readonly modelId: string;
  readonly operations: readonly Embedded[];
  readonly vectors: readonly HybridVector[];
}

/** Operations of one collection, some at a time: all together may take more memory than they should. */
export type OperationPortions<Embedded extends OperationTexts = OperationTexts> =
  AsyncIterable<readonly Embedded[]> | Iterable<readonly Embedded[]>;

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
   * Embeds the operations of a collection, by one model: a portion when it is asked for the next one. The vector of an
   * operation is the same whatever others are embedded with it. Yields to the event loop every few milliseconds, and
   * passes a checkpoint at least every 15 s: what that throws, it throws. Throws `embedding_unavailable` if it cannot
   * embed.
   */
  embedOperations<Embedded extends OperationTexts>(
    owner: OperationsOwner,
    portions: OperationPortions<Embedded>,
    checkpoint: Checkpoint,
  ): AsyncIterable<EmbeddedOperations<Embedded>>;

  /** The vector of a question. Throws `embedding_unavailable` if it cannot embed. */
  embedQuestion(text: string): Promise<EmbeddedQuestion>;
}
