export const embeddingDimension = 768;

/** What a text is embedded for: some models want to be told. */
export type EmbeddingPurpose = 'document' | 'query';

/** Turns texts into vectors. */
export interface Embedder {
  /** Names the model and its version; changes whenever a text's vector would. */
  modelId(): Promise<string>;
  /**
   * One vector a text, in their order: 768 finite numbers, of length 1, the same for the same text whatever else is in
   * the batch. A text without any known feature still gets one. Raises `embedding_unavailable` where it cannot,
   * or not within 15 s.
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<readonly Float32Array[]>;
  /** Rejects with `embedding_unavailable` while it cannot embed. */
  check(): Promise<void>;
}
