import type { CollectionId } from '../ids.ts';

/** The dimension of every vector, of collections and of queries (specification, "Limits"). */
export const embeddingDimension = 768;

/** The purpose of an embedding: some models need to know it. */
export type EmbeddingPurpose = 'document' | 'query';

/** Vectors, and the model that made all of them. */
export interface EmbeddedTexts {
  readonly modelId: string;
  readonly vectors: readonly Float32Array[];
}

/**
 * Thrown if a document gets no vector although the embedder works: no retry would succeed. The message contains no part
 * of the text.
 */
export class TextRefusedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TextRefusedError';
  }
}

export interface Embedding {
  readonly collectionId: CollectionId;
  /** The model that made it; vectors of two models are never compared. */
  readonly modelId: string;
  /** The `contentRevision` of the collection it was made from. */
  readonly contentRevision: number;
  /** 768 finite numbers, of length 1. */
  readonly vector: Float32Array;
}

export interface EmbeddingChange {
  /** Greater than the sequence of everything stored before; may have gaps. */
  readonly sequence: number;
  readonly collectionId: CollectionId;
  readonly vector: Float32Array;
}
