/** Weights of features, such as words; omitted features have a weight of 0. */
export interface SparseVector {
  /** Distinct, ascending. */
  readonly indices: Uint32Array;
  /** One for each index: finite, not 0. */
  readonly weights: Float32Array;
}

/**
 * The vector that a text is compared by: the similarity of an operation and a query is the dot product of their dense
 * vectors plus that of their sparse ones. The weights of both parts are already included in the vectors.
 */
export interface HybridVector {
  /** The meaning of the text: one finite number for each dimension of the model. */
  readonly dense: Float32Array;
  /** The words of the text, and the objects that it refers to. */
  readonly sparse: SparseVector;
}
