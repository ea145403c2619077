"""Reads the training data: the teacher's vectors, API texts, WordNet, questions."""

import gzip
import json
import lzma
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from words import WORD


class BadInput(Exception):
    """The input is invalid; the message has the reason."""


@dataclass
class Teacher:
    words: list[str]
    word_vectors: np.ndarray
    kinds: list[str]
    texts: list[str]
    text_vectors: np.ndarray


@dataclass
class Api:
    id: str
    title: str
    description: str
    operations: list[str]

    def whole(self) -> str:
        return f"{self.title} . {self.description}"


@dataclass
class Question:
    question: str
    about: str


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise BadInput(f"{path} is missing")
    return path


def _lines(path: Path) -> list[str]:
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(_existing(path), "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def _rows(folder: Path, name: str, count: int) -> np.ndarray:
    """Converts int8 rows, each with a scale, to float32."""
    path = _existing(folder / f"{name}.npy")
    codes = np.load(path)
    scales = np.load(_existing(folder / f"{name}-scale.npy"))
    if codes.dtype != np.int8 or codes.ndim != 2:
        raise BadInput(f"{path} must hold rows of int8, but holds {codes.dtype} of shape {codes.shape}")
    if len(codes) != count or scales.shape != (count,):
        raise BadInput(
            f"{path} has {len(codes)} rows and {scales.size} scales, but there are {count} {name} to go with them"
        )
    return codes.astype(np.float32) * scales.astype(np.float32)[:, None]


def checked_words(words: list[str], where: str) -> list[str]:
    if not words:
        raise BadInput(f"{where} holds no words")
    seen = set()
    for number, word in enumerate(words, 1):
        if not WORD.fullmatch(word):
            raise BadInput(f"{where}, line {number}: {word!r} is no word of 1 to 24 letters a-z and digits")
        if word in seen:
            raise BadInput(f"{where}, line {number}: {word!r} stands there twice")
        seen.add(word)
    return words


def read_teacher(folder: Path) -> Teacher:
    words = checked_words(_lines(folder / "words.txt"), str(folder / "words.txt"))
    lines = _lines(folder / "texts.tsv.xz")
    if not lines:
        raise BadInput(f"{folder / 'texts.tsv.xz'} holds no texts")
    kinds, texts = [], []
    for number, line in enumerate(lines, 1):
        kind, tab, text = line.partition("\t")
        if not tab or not text.strip():
            raise BadInput(f"{folder / 'texts.tsv.xz'}, line {number}: must be a kind, a tab and a text")
        kinds.append(kind)
        texts.append(text)
    word_vectors = _rows(folder, "words", len(words))
    text_vectors = _rows(folder, "texts", len(texts))
    if word_vectors.shape[1] != text_vectors.shape[1]:
        raise BadInput(
            f"words have {word_vectors.shape[1]} numbers each, texts {text_vectors.shape[1]}: "
            "both must be of one teacher"
        )
    return Teacher(words, word_vectors, kinds, texts, text_vectors)


_ABOUT = re.compile(r"api|op:([0-9]{1,6})")
_SEPARATOR = re.compile(r"\s\.\s")


def read_apis(path: Path, left_out: set[str]) -> list[Api]:
    """One API per line; the parts of `text` and `ops` are separated by a full stop between spaces."""
    apis = []
    for number, line in enumerate(_lines(path), 1):
        try:
            entry = json.loads(line)
            id, text, operations = entry["id"], entry["text"], entry["ops"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{path}, line {number}: must be JSON with id, text and ops ({error})") from error
        if id in left_out:
            continue
        title, _, description = text.partition(" . ")
        apis.append(Api(id, title.strip(), description.strip(), [o.strip() for o in _SEPARATOR.split(operations)]))
    if not apis:
        raise BadInput(f"{path} holds no APIs to train from")
    return apis


def read_left_out(path: Path) -> set[str]:
    """Ids of the documents of the evaluation, which are excluded from training."""
    families = json.loads(_existing(path).read_text(encoding="utf-8"))
    return {document.removesuffix(".json") for family in families for document in family["docs"]}


def read_dictionary(path: Path) -> list[str]:
    lines = [line for line in _lines(path) if line.strip()]
    if not lines:
        raise BadInput(f"{path} holds no entries")
    return lines


def read_questions(path: Path, apis: list[Api], others_too: bool = False) -> list[Question]:
    """API id, `api` or `op:` and the number of the part of `ops`, question; separated by tabs.

    The parts are numbered and not written out, because their wording is their vendors'. With `others_too`, questions
    about APIs that are not among the texts are passed over.
    """
    known = {api.id: api for api in apis}
    questions = []
    for number, line in enumerate(_lines(path), 1):
        fields = line.split("\t")
        about = _ABOUT.fullmatch(fields[1]) if len(fields) == 3 else None
        if not about or not fields[2].strip():
            raise BadInput(f"{path}, line {number}: must be API id, api or op:NUMBER, question, with tabs between")
        api = known.get(fields[0])
        if api is None:
            if others_too:
                continue
            raise BadInput(f"{path}, line {number}: {fields[0]} is no API of the training texts")
        part = int(about[1] or 0)
        if about[1] and not 0 < part <= len(api.operations):
            raise BadInput(f"{path}, line {number}: {api.id} has {len(api.operations)} parts, there is no {part}")
        questions.append(Question(fields[2], api.operations[part - 1] if part else api.whole()[:400]))
    return questions
