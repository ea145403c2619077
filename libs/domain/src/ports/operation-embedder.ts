import type { Collection } from '../collections/collection.ts';
import type { OperationDescription } from '../documents/operation.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

/** The parts of a collection that its operations are embedded with. */
export type EmbeddingContext = Pick<Collection, 'name' | 'description' | 'baseUrl'>;

/** Operations, a vector for each in the same order, and the model that made all of them. */
export interface EmbeddedOperations<Embedded extends OperationDescription = OperationDescription> {
  readonly modelId: string;
  readonly operations: readonly Embedded[];
  readonly vectors: readonly HybridVector[];
}

/** The operations of one collection in batches, because all of them together may take too much memory. */
export type OperationBatches<Embedded extends OperationDescription = OperationDescription> =
  AsyncIterable<readonly Embedded[]> | Iterable<readonly Embedded[]>;

export interface EmbeddedQuery {
  readonly modelId: string;
  readonly vector: HybridVector;
}

/** Called repeatedly by work that may take long. Rejects if the work is to stop there. */
export type Checkpoint = () => Promise<void>;

/** Turns operations and search queries into vectors. */
export interface OperationEmbedder {
  /**
   * Returns an id of the model and its version, which changes whenever the vector of an operation would. A model can
   * change between any two calls, so callers that store or compare a vector use the id returned with it. Throws
   * `embedding_unavailable` while no id is known.
   */
  modelId(): Promise<string>;

  /**
   * Embeds the operations of a collection, by one model: a batch each time the caller requests the next one. The vector
   * of an operation does not depend on the others embedded with it. Yields to the event loop every few milliseconds,
   * and calls `checkpoint` at least every 15 s; if that throws, throws the same. Throws `embedding_unavailable` if it
   * cannot embed.
   */
  embedOperations<Embedded extends OperationDescription>(
    context: EmbeddingContext,
    batches: OperationBatches<Embedded>,
    checkpoint: Checkpoint,
  ): AsyncIterable<EmbeddedOperations<Embedded>>;

  /** Returns the vector of a query. Throws `embedding_unavailable` if it cannot embed. */
  embedQuery(text: string): Promise<EmbeddedQuery>;
}
