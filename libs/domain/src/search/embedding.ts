import type { CollectionId } from '../ids.ts';

/** Of every vector, of collections and of queries (specification, "Limits"). */
export const embeddingDimension = 768;

/** What a text is embedded for: some models want to be told. */
export type EmbeddingPurpose = 'document' | 'query';

/** Vectors, and the one model that made all of them. */
export interface EmbeddedTexts {
  readonly modelId: string;
  readonly vectors: readonly Float32Array[];
}

/** Why a document has no vector, though the embedder works: no later try would make one of it. Its message holds no part of the text. */
export class TextRefusedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TextRefusedError';
  }
}

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
