import type { EmbeddedTexts, EmbeddingPurpose } from '../search/embedding.ts';

/** Turns texts into vectors. */
export interface Embedder {
  /**
   * Returns an id for the model and its version, which changes whenever the vector of a text would change. The id may
   * be cached for at most a minute while the model is reachable, so callers that store or compare a vector use the id
   * returned with it. Throws `embedding_unavailable` while no id is known.
   */
  getModelId(): Promise<string>;
  /**
   * Returns one vector per text, in the same order: a unit vector with 768 finite dimensions. The vector of a text does
   * not depend on the other texts in the batch. A text without any known feature still gets a vector. The model's id is
   * returned with the vectors, because a model can change between any two calls. Throws `embedding_unavailable` if the
   * embedder cannot embed the texts, or cannot do so within 15 s.
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<EmbeddedTexts>;
  /** Rejects with `embedding_unavailable` while the embedder cannot embed. */
  check(): Promise<void>;
}
