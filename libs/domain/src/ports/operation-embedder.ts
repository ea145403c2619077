import type { Collection } from '../collections/collection.ts';
import type { OperationTexts } from '../documents/operation.ts';
import type { HybridVector } from '../operations/operation-vectors.ts';

/** What operations are embedded as part of. */
export type OperationsOwner = Pick<Collection, 'name' | 'description' | 'baseUrl'>;

/** Turns operations and questions for them into vectors. */
export interface OperationEmbedder {
  /** An id of the model and its version, which changes whenever the vector of an operation would. */
  modelId(): Promise<string>;

  /**
   * Returns one vector for each operation, in the same order, the same whatever other operations are embedded with it.
   * Lets others have their turn every few milliseconds. Throws `embedding_unavailable` if it cannot embed.
   */
  embedOperations(owner: OperationsOwner, operations: readonly OperationTexts[]): Promise<readonly HybridVector[]>;

  /** The vector of a question. Throws `embedding_unavailable` if it cannot embed. */
  embedQuestion(text: string): Promise<HybridVector>;
}
