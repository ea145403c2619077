/** Weights of features, such as words; features that are not named weigh 0. */
export interface SparseVector {
  /** Distinct, ascending. */
  readonly indices: Uint32Array;
  /** One for each index: finite, not 0. */
  readonly weights: Float32Array;
}

/**
 * What a text is compared by: the similarity of an operation and a query is the dot product of their dense vectors plus
 * that of their sparse ones. What each part weighs is in the vectors already.
 */
export interface HybridVector {
  /** What it means: as many finite numbers as the model has dimensions. */
  readonly dense: Float32Array;
  /** How it is written, and what it names. */
  readonly sparse: SparseVector;
}
