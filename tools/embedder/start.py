"""The initial vectors of training: the teacher's word vectors, mapped by a fit of bags to texts."""

import numpy as np

from bags import Bags

COMMON = 1e-3
RIDGE = 1e-3


def first_weights(shares: np.ndarray) -> np.ndarray:
    """The weight of a word decreases with its share of all words."""
    return (COMMON / (COMMON + shares)).astype(np.float32)


def first_vectors(word_vectors: np.ndarray, weights: np.ndarray, bags: Bags, targets: np.ndarray) -> np.ndarray:
    """Ridge regression from the weighted mean of a text's words to the vector of the text."""
    totals = bags.weighted(weights).sum(1).A1
    means = bags.weighted(weights) @ word_vectors / np.maximum(totals, 1e-6)[:, None]
    inputs = means.astype(np.float64)
    gram = inputs.T @ inputs
    gram[np.diag_indices_from(gram)] += RIDGE * len(inputs)
    map_ = np.linalg.solve(gram, inputs.T @ targets.astype(np.float64))
    return (word_vectors @ map_).astype(np.float32)
