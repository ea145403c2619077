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
    runs: int = 3
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
    questions: int = 192
    question_contrast: float = 2.0
    question_temperature: float = 0.05


@dataclass
class Pairs:
    """A pair of related texts, as indices of bags, and its weight."""

    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray


def _drawn(pairs: Pairs, count: int, random: np.random.Generator) -> Pairs:
    picked = random.integers(0, len(pairs.left), count)
    return Pairs(pairs.left[picked], pairs.right[picked], pairs.weight[picked])


class Rows:
    """Vectors and log-weights of all words; Adam's moments are updated only for the words of a batch."""

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
    """Embeds texts with only the rows of their words."""

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
    """KL divergence from the teacher's neighbourhoods in the batch; a text is not its own neighbour."""
    own = torch.eye(len(ours), dtype=torch.bool)
    log_ours = (ours @ ours.T / temperature).masked_fill(own, -1e4).log_softmax(1)
    theirs = (teachers @ teachers.T / temperature).masked_fill(own, -1e4).softmax(1)
    return functional.kl_div(log_ours, theirs, reduction="batchmean")


def contrast_loss(left: torch.Tensor, right: torch.Tensor, weight: torch.Tensor, temperature: float) -> torch.Tensor:
    """InfoNCE in both directions: the other texts of the batch are negatives."""
    scores = left @ right.T / temperature
    right_one = torch.arange(len(left))
    losses = functional.cross_entropy(scores, right_one, reduction="none")
    losses = losses + functional.cross_entropy(scores.T, right_one, reduction="none")
    return (losses * weight).sum() / weight.sum() / 2


def _step(rows, bags, texts, teachers, pairs, asked, settings, random):
    """The words of one batch, their gradients, and the parts of the loss."""
    drawn = [_drawn(pairs, settings.pairs, random)]
    if asked is not None:
        drawn.append(_drawn(asked, settings.questions, random))
    sides = [side for some in drawn for side in (some.left, some.right)]
    batch = Batch(rows, bags, np.concatenate([texts, *sides]))
    ours, *ends = batch.embedded().split([len(texts), *map(len, sides)])
    target = teachers[torch.from_numpy(texts)]
    parts = [
        1 - (ours * target).sum(1).mean(),
        neighbourhood_loss(ours, target, settings.neighbour_temperature),
        contrast_loss(ends[0], ends[1], torch.from_numpy(drawn[0].weight), settings.contrast_temperature),
    ]
    if asked is not None:
        weight = torch.from_numpy(drawn[1].weight)
        parts.append(contrast_loss(ends[2], ends[3], weight, settings.question_temperature))
    shares = (settings.closeness, settings.neighbourhood, settings.contrast, settings.question_contrast)
    loss = sum(share * part for share, part in zip(shares, parts))
    gradients = torch.autograd.grad(loss, [batch.vectors, batch.logs])
    return batch.used, gradients, [float(part.detach()) for part in parts]


def train(
    rows: Rows,
    bags: Bags,
    taught: np.ndarray,
    targets: np.ndarray,
    member: np.ndarray,
    pairs: Pairs,
    asked: Pairs | None,
    settings: Settings,
    random: np.random.Generator,
    say=print,
) -> None:
    """`taught` are the bags with a teacher's vector (of unit length); pairs may refer to any bag."""
    teachers = torch.from_numpy(targets)
    per_epoch = len(batches(member, settings.batch, settings.group, np.random.default_rng(0)))
    total, step, began = settings.epochs * per_epoch, 0, time.monotonic()
    for epoch in range(settings.epochs):
        sums = np.zeros(4)
        for some in batches(member, settings.batch, settings.group, random):
            texts = taught[some]
            used, gradients, parts = _step(rows, bags, texts, teachers, pairs, asked, settings, random)
            left_over = 1 - step / total
            with torch.no_grad():
                rows.step(
                    used, gradients, (settings.vector_rate * left_over, settings.weight_rate * left_over)
                )
            step += 1
            sums[: len(parts)] += parts
        mean = sums / per_epoch
        say(
            f"epoch {epoch + 1}: away from the teacher {mean[0]:.4f}, neighbourhoods {mean[1]:.4f}, "
            f"pairs {mean[2]:.4f}, questions {mean[3]:.4f}, {time.monotonic() - began:.0f} s"
        )
