"""Clusters texts by the teacher's vectors, so that batches contain real neighbourhoods."""

import numpy as np


def nearest(vectors: np.ndarray, centres: np.ndarray, step: int = 4096) -> np.ndarray:
    found = np.empty(len(vectors), np.int64)
    for start in range(0, len(vectors), step):
        found[start : start + step] = (vectors[start : start + step] @ centres.T).argmax(1)
    return found


def clustered(vectors: np.ndarray, count: int, random: np.random.Generator, rounds: int = 4) -> np.ndarray:
    """Spherical k-means on a sample; returns the cluster number of every vector (of unit length)."""
    count = min(count, len(vectors))
    sample = vectors[random.permutation(len(vectors))[: 12 * count]]
    centres = sample[:count].copy()
    for _ in range(rounds):
        member = nearest(sample, centres)
        order = np.argsort(member, kind="stable")
        present, begins = np.unique(member[order], return_index=True)
        sums = np.add.reduceat(sample[order], begins, axis=0)
        centres[present] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return nearest(vectors, centres)


def batches(member: np.ndarray, size: int, group: int, random: np.random.Generator) -> list[np.ndarray]:
    """Yields each text once: half of a batch at random, half in groups from one cluster each."""
    order = random.permutation(len(member))
    half = len(order) // 2
    loose, tight = order[:half], order[half:]
    tight = tight[np.argsort(member[tight], kind="stable")]
    groups = [tight[at : at + group] for at in range(0, len(tight), group)]
    groups = [groups[place] for place in random.permutation(len(groups))]
    per_batch = max(1, size // 2 // group)
    made = []
    for number, at in enumerate(range(0, len(groups), per_batch)):
        begin = number * per_batch * group
        made.append(np.concatenate([loose[begin : begin + per_batch * group], *groups[at : at + per_batch]]))
    return made
