import type { Collection } from '../collections/collection.ts';
import type { OperationDescription } from '../documents/operation.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

/** The parts of a collection that its operations are embedded with. */
export type EmbeddingContext = Pick<Collection, 'name' | 'description' | 'baseUrl'>;

/** Operations, their vectors in the same order, and the model that created all of the vectors. */
export interface EmbeddedOperations<Embedded extends OperationDescription = OperationDescription> {
  readonly modelId: string;
  readonly operations: readonly Embedded[];
  readonly vectors: readonly HybridVector[];
}

/** The operations of one collection in batches, because all of them together may take up too much memory. */
export type OperationBatches<Embedded extends OperationDescription = OperationDescription> =
  AsyncIterable<readonly Embedded[]> | Iterable<readonly Embedded[]>;

export interface EmbeddedQuery {
  readonly modelId: string;
  readonly vector: HybridVector;
}

/** Called repeatedly by work that may take a long time. Rejects if the work must stop at that point. */
export type Checkpoint = () => Promise<void>;

/** Turns operations and search queries into vectors. */
export interface OperationEmbedder {
  /**
   * Returns an id for the model and its version, which changes whenever the vector of an operation would change. A
   * model can change between any two calls, so callers that store or compare a vector use the id returned with it.
   * Throws `embedding_unavailable` while no id is known.
   */
  getModelId(): Promise<string>;

  /**
   * Embeds the operations of a collection with one model: one batch each time the caller requests the next one. The
   * vector of an operation does not depend on the others embedded with it. Yields to the event loop every few
   * milliseconds, and calls `checkpoint` at least every 15 s; rethrows its error. Throws `embedding_unavailable` if the
   * operations cannot be embedded.
   */
  embedOperations<Embedded extends OperationDescription>(
    context: EmbeddingContext,
    batches: OperationBatches<Embedded>,
    checkpoint: Checkpoint,
  ): AsyncIterable<EmbeddedOperations<Embedded>>;

  /** Returns the vector of a query. Throws `embedding_unavailable` if the query cannot be embedded. */
  embedQuery(text: string): Promise<EmbeddedQuery>;
}
