"""Trains a vector and a weight for each word, towards the teacher's vectors of texts and towards pairs."""

import time
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from bags import Bags
from clusters import batches


@dataclass
class Settings:
    epochs: int = 5
    batch: int = 512
    group: int = 16
    clusters: int = 5000
    pairs: int = 256
    vector_rate: float = 2e-3
    weight_rate: float = 2e-2
    closeness: float = 5.0
    neighbourhood: float = 1.0
    neighbour_temperature: float = 0.05
    contrast: float = 0.3
    contrast_temperature: float = 0.07
    question_weight: float = 3.0


@dataclass
class Pairs:
    """Two texts that belong together, as places in the bags, and how much the pair counts."""

    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray


class Rows:
    """Vectors and log-weights of all words; Adam's moments move only for the words of a batch."""

    def __init__(self, vectors: np.ndarray, weights: np.ndarray):
        self.vectors = torch.from_numpy(vectors.copy())
        self.logs = torch.from_numpy(np.log(np.maximum(weights, 1e-6)).astype(np.float32))
        self._moments = [(torch.zeros_like(t), torch.zeros_like(t)) for t in (self.vectors, self.logs)]
        self._steps = 0

    def table(self) -> np.ndarray:
        return (self.vectors * self.logs.exp()[:, None]).numpy()

    def step(self, used: torch.Tensor, gradients: list[torch.Tensor], rates: tuple[float, float]) -> None:
        self._steps += 1
        for values, moments, gradient, rate in zip((self.vectors, self.logs), self._moments, gradients, rates):
            first = moments[0][used].mul_(0.9).add_(gradient, alpha=0.1)
            second = moments[1][used].mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            moments[0][used], moments[1][used] = first, second
            size = rate * (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
            values[used] -= size * first / (second.sqrt() + 1e-8)


class Batch:
    """Embeds texts with the rows of the words that occur in them, and nothing else."""

    def __init__(self, rows: Rows, bags: Bags, chosen: np.ndarray):
        words, begins = bags.some(chosen)
        used, self._places = torch.unique(torch.from_numpy(words), return_inverse=True)
        self.used, self._begins = used, torch.from_numpy(begins)
        self.vectors = rows.vectors[used].requires_grad_()
        self.logs = rows.logs[used].requires_grad_()

    def embedded(self) -> torch.Tensor:
        weights = self.logs.exp()[self._places]
        sums = functional.embedding_bag(
            self._places, self.vectors, self._begins, mode="sum", per_sample_weights=weights
        )
        return functional.normalize(sums, dim=1, eps=1e-6)


def neighbourhood_loss(ours: torch.Tensor, teachers: torch.Tensor, temperature: float) -> torch.Tensor:
    """KL divergence from the teacher's neighbourhoods in the batch; a text is no neighbour of its own."""
    own = torch.eye(len(ours), dtype=torch.bool)
    log_ours = (ours @ ours.T / temperature).masked_fill(own, -1e4).log_softmax(1)
    theirs = (teachers @ teachers.T / temperature).masked_fill(own, -1e4).softmax(1)
    return functional.kl_div(log_ours, theirs, reduction="batchmean")


def contrast_loss(left: torch.Tensor, right: torch.Tensor, weight: torch.Tensor, temperature: float) -> torch.Tensor:
    """InfoNCE in both directions: the other texts of the batch are the wrong ones."""
    scores = left @ right.T / temperature
    right_one = torch.arange(len(left))
    losses = functional.cross_entropy(scores, right_one, reduction="none")
    losses = losses + functional.cross_entropy(scores.T, right_one, reduction="none")
    return (losses * weight).sum() / weight.sum() / 2


def train(
    rows: Rows,
    bags: Bags,
    taught: np.ndarray,
    targets: np.ndarray,
    member: np.ndarray,
    pairs: Pairs,
    settings: Settings,
    random: np.random.Generator,
    say=print,
) -> None:
    """`taught` are the bags that have a teacher's vector (of unit length); pairs may point at any bag."""
    teachers = torch.from_numpy(targets)
    per_epoch = len(batches(member, settings.batch, settings.group, np.random.default_rng(0)))
    total, step, began = settings.epochs * per_epoch, 0, time.monotonic()
    for epoch in range(settings.epochs):
        sums = np.zeros(3)
        for some in batches(member, settings.batch, settings.group, random):
            texts = taught[some]
            picked = random.integers(0, len(pairs.left), settings.pairs)
            chosen = np.concatenate([texts, pairs.left[picked], pairs.right[picked]])
            batch = Batch(rows, bags, chosen)
            embedded = batch.embedded()
            ours, left, right = embedded.split([len(texts), len(picked), len(picked)])
            target = teachers[torch.from_numpy(texts)]
            weight = torch.from_numpy(pairs.weight[picked])
            parts = [
                1 - (ours * target).sum(1).mean(),
                neighbourhood_loss(ours, target, settings.neighbour_temperature),
                contrast_loss(left, right, weight, settings.contrast_temperature),
            ]
            loss = settings.closeness * parts[0] + settings.neighbourhood * parts[1] + settings.contrast * parts[2]
            gradients = torch.autograd.grad(loss, [batch.vectors, batch.logs])
            left_over = 1 - step / total
            with torch.no_grad():
                rows.step(
                    batch.used, gradients, (settings.vector_rate * left_over, settings.weight_rate * left_over)
                )
            step += 1
            sums += [float(part) for part in parts]
        mean = sums / per_epoch
        say(
            f"epoch {epoch + 1}: away from the teacher {mean[0]:.4f}, neighbourhoods {mean[1]:.4f}, "
            f"pairs {mean[2]:.4f}, {time.monotonic() - began:.0f} s"
        )
