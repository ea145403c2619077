import type { EmbeddedTexts, EmbeddingPurpose } from '../search/embedding.ts';

/** Turns texts into vectors. */
export interface Embedder {
  /**
   * Names the model and its version; changes whenever a text's vector would. It may be remembered, for a minute at most
   * while the model can be asked for, so whoever keeps or compares a vector goes by the id that came with it. Throws
   * `embedding_unavailable` while no id is known.
   */
  modelId(): Promise<string>;
  /**
   * One vector a text, in their order: 768 finite numbers, of length 1, the same for the same text whatever else is in
   * the batch. A text without any known feature still gets one. The model's id comes with them, for a model can change
   * between any two calls. Throws `embedding_unavailable` where it cannot, or not within 15 s.
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<EmbeddedTexts>;
  /** Rejects with `embedding_unavailable` while it cannot embed. */
  check(): Promise<void>;
}
