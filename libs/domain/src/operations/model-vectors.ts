import type { HybridVector, SparseVector } from './operation-vectors.ts';

/** The weight of the collection's vector in the vector of each of its operations, as in the built-in embedder. */
const collectionShare = 0.25;

/**
 * Maps a language model's cosines to those of the built-in embedder, which the weights of words (`rankingWeights`) and
 * the scores (`toOperationScore`) were chosen for: the cosine of a query with any operation, and with one that answers
 * it. The built-in values are medians of the evaluation tasks. The model's values are an estimate for nomic-embed-text,
 * and are not calibrated against a server (`tools/embedder/LABORATORY.md`). The mapping is applied to queries, and is
 * not part of any stored vector.
 */
const cosines = {
  unrelated: { model: 0.45, builtIn: 0.15 },
  relevant: { model: 0.72, builtIn: 0.56 },
} as const;

/** The line through these two points. */
const slope =
  (cosines.relevant.builtIn - cosines.unrelated.builtIn) / (cosines.relevant.model - cosines.unrelated.model);
const offset = cosines.unrelated.builtIn - slope * cosines.unrelated.model;

/** A feature that each operation has once; its weight in a query is added to every similarity. */
const constantFeature = 0xffff_ffff;

/**
 * Returns the vector of an operation: the model's vectors for the operation and its collection, combined, and the
 * operation's words from `sparse`.
 */
export const buildOperationVector = (
  textVector: Float32Array,
  collection: Float32Array,
  sparse: SparseVector,
): HybridVector => {
  const combined = textVector.map((x, i) => (1 - collectionShare) * x + collectionShare * (collection[i] ?? 0));
  const length = Math.hypot(...combined);
  return { dense: length === 0 ? combined : combined.map((x) => x / length), sparse: addConstant(sparse, 1) };
};

/** Returns the vector of a query, scaled so that the model's cosines match the weights of words. */
export const buildQueryVector = (textVector: Float32Array, sparse: SparseVector): HybridVector => ({
  dense: textVector.map((x) => slope * x),
  sparse: addConstant(sparse, offset),
});

/**
 * The constant has the greatest index, so it comes last; it replaces the hash of a word that happens to be equal to it.
 */
const addConstant = ({ indices, weights }: SparseVector, weight: number): SparseVector => {
  const count = indices.at(-1) === constantFeature ? indices.length - 1 : indices.length;
  return {
    indices: Uint32Array.of(...indices.subarray(0, count), constantFeature),
    weights: Float32Array.of(...weights.subarray(0, count), weight),
  };
};
