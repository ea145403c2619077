"""Words of a text, and their frequencies.

The reader of the product cuts texts the same way: what is changed here has to be changed there as well.
"""

import collections
import html
import math
import re
import unicodedata

WORD = re.compile(r"[a-z0-9]{1,24}")
LONGEST = 24

_TAG = re.compile(r"<[^<>]{0,400}>")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+|\S+@\S+\.\S+")
_POSSESSIVE = re.compile(r"(?<=[A-Za-z])['’]s\b")
_LOWER_UPPER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UPPER_WORD = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])")
_RUN = re.compile(r"[A-Za-z0-9]+")


def cleaned(text: str) -> str:
    """Removes markup, URLs and accents."""
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    text = _ADDRESS.sub(" ", text)
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _POSSESSIVE.sub("", text)


def words_of(text: str) -> list[str]:
    """Lower-case words; camelCase is split, digits stay in their word, overlong runs are dropped."""
    split = _UPPER_WORD.sub(" ", _LOWER_UPPER.sub(" ", cleaned(text)))
    return [run.lower() for run in _RUN.findall(split) if len(run) <= LONGEST]


def base_forms(word: str) -> list[str]:
    """Candidate base forms of an inflected word, most likely first."""
    forms = []
    if len(word) > 4 and word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if len(word) > 4 and word.endswith("es"):
        forms.append(word[:-2])
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        forms.append(word[:-1])
    for ending in ("ed", "ing"):
        stem = word[: -len(ending)]
        if len(stem) >= 3 and word.endswith(ending):
            forms.extend([stem, stem + "e"])
            if stem[-1] == stem[-2]:
                forms.append(stem[:-1])
    return forms


class Frequencies:
    """The relative frequencies of words in API texts and in WordNet, and their document frequencies in API texts."""

    def __init__(self, api_texts: list[str], dictionary: list[str]):
        self.texts = len(api_texts)
        self.in_texts: collections.Counter = collections.Counter()
        self.api: collections.Counter = collections.Counter()
        for text in api_texts:
            found = words_of(text)
            self.api.update(found)
            self.in_texts.update(set(found))
        self.dictionary: collections.Counter = collections.Counter()
        self.lemmas: set[str] = set()
        for line in dictionary:
            self.dictionary.update(words_of(line))
            self.lemmas.update(words_of(line.split(" . ", 1)[0]))
        self._api_total = max(1, sum(self.api.values()))
        self._dictionary_total = max(1, sum(self.dictionary.values()))

    def share(self, word: str) -> float:
        """The mean of both frequencies; an unknown word counts as half an occurrence in each."""
        api = max(self.api[word], 0.5) / self._api_total
        return (api + max(self.dictionary[word], 0.5) / self._dictionary_total) / 2

    def idf(self, word: str) -> float:
        return math.log(1 + self.texts / (self.in_texts[word] + 1))

    def highest_idf(self) -> float:
        return math.log(1 + self.texts)

    def vocabulary(self, size: int) -> list[str]:
        """The most frequent words of both sources; ties are in alphabetical order."""
        score: dict[str, int] = {}
        for word in self.in_texts.keys() | self.dictionary.keys():
            score[word] = 3 * self.in_texts[word] + self.dictionary[word] + 2 * (word in self.lemmas)
        return sorted(score, key=lambda word: (-score[word], word))[:size]
