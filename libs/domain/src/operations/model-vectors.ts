import type { HybridVector, SparseVector } from './operation-vectors.ts';

/** The share of the collection's meaning in that of each of its operations, as in the built-in embedder. */
const ownerShare = 0.25;

/**
 * Which cosines of a language model are taken for which ones of the built-in embedder, for which the weights of words
 * (`rankingWeights`) and the scores (`operationScore`) were chosen: those of a question with any operation, and with one
 * that answers it. The built-in ones are medians of the judged tasks. The model's are an estimate for nomic-embed-text,
 * and not calibrated against a server (`tools/embedder/LABORATORY.md`). They count when a question is asked, and are in
 * no stored vector.
 */
const cosines = {
  any: { model: 0.45, builtIn: 0.15 },
  answering: { model: 0.72, builtIn: 0.56 },
} as const;

/** The line through these two points. */
const slope = (cosines.answering.builtIn - cosines.any.builtIn) / (cosines.answering.model - cosines.any.model);
const offset = cosines.any.builtIn - slope * cosines.any.model;

/** A feature that each operation has once; what a question gives it is added to every similarity. */
const constant = 0xffff_ffff;

/** The vector of an operation: what a model says that it and its collection mean, and its words as `sparse` has them. */
export const operationVector = (meaning: Float32Array, owner: Float32Array, sparse: SparseVector): HybridVector => {
  const joint = meaning.map((x, i) => (1 - ownerShare) * x + ownerShare * (owner[i] ?? 0));
  const length = Math.hypot(...joint);
  return { dense: length === 0 ? joint : joint.map((x) => x / length), sparse: withConstant(sparse, 1) };
};

/** The vector of a question, which turns a model's cosines into those that the weights of words are made for. */
export const questionVector = (meaning: Float32Array, sparse: SparseVector): HybridVector => ({
  dense: meaning.map((x) => slope * x),
  sparse: withConstant(sparse, offset),
});

/** It has the greatest index, so it comes last; the hash of a word that happens to be the same gives way to it. */
const withConstant = ({ indices, weights }: SparseVector, weight: number): SparseVector => {
  const count = indices.at(-1) === constant ? indices.length - 1 : indices.length;
  return {
    indices: Uint32Array.of(...indices.subarray(0, count), constant),
    weights: Float32Array.of(...weights.subarray(0, count), weight),
  };
};
