import type { CollectionId } from '../ids.ts';

/** The dimension of every vector, for both collections and queries (specification, "Limits"). */
export const embeddingDimension = 768;

/** The purpose of an embedding: some models need to know it. */
export type EmbeddingPurpose = 'document' | 'query';

/** Vectors, and the model that created all of them. */
export interface EmbeddedTexts {
  readonly modelId: string;
  readonly vectors: readonly Float32Array[];
}

/**
 * Thrown if a document cannot be embedded although the embedder works: no retry would succeed. The message contains no
 * part of the text.
 */
export class TextRejectedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TextRejectedError';
  }
}

export interface Embedding {
  readonly collectionId: CollectionId;
  /** The model that created the vector; vectors from different models are never compared. */
  readonly modelId: string;
  /** The `contentRevision` of the collection that the vector was created from. */
  readonly contentRevision: number;
  /** A unit vector with 768 finite dimensions. */
  readonly vector: Float32Array;
}

export interface EmbeddingChange {
  /** Greater than the sequence number of everything stored before; the numbers may have gaps. */
  readonly sequence: number;
  readonly collectionId: CollectionId;
  readonly vector: Float32Array;
}
