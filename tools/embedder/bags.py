"""Texts as bags of vocabulary rows."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from words import base_forms, words_of


@dataclass
class Bags:
    """The words of all texts in one array; `starts` has one more entry than there are texts."""

    starts: np.ndarray
    words: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def some(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The words of the selected texts, and the start of each text."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        begins = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.starts[chosen] - begins[:-1], lengths) + np.arange(begins[-1])
        return self.words[places], begins[:-1]

    def part(self, chosen: np.ndarray) -> "Bags":
        words, begins = self.some(chosen)
        return Bags(np.append(begins, len(words)), words)

    def weighted(self, weights: np.ndarray) -> sparse.csr_matrix:
        shape = (len(self), len(weights))
        return sparse.csr_matrix((weights[self.words], self.words, self.starts), shape=shape)


class Reader:
    """Looks up words; an inflected word without a row uses that of its base form."""

    def __init__(self, words: list[str]):
        self._places = {word: place for place, word in enumerate(words)}

    def places(self, text: str) -> list[int]:
        found = []
        for word in words_of(text):
            place = self._places.get(word)
            if place is None:
                place = next((self._places[form] for form in base_forms(word) if form in self._places), None)
                self._places[word] = place
            if place is not None:
                found.append(place)
        return found

    def bags(self, texts: list[str], longest: int = 120) -> Bags:
        rows = [self.places(text)[:longest] for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return Bags(starts, np.array([place for row in rows for place in row], np.int64))
