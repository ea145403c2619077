"""Reads what the training is made from: the teacher's vectors, API texts, WordNet, questions."""

import gzip
import json
import lzma
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from words import WORD


class BadInput(Exception):
    """What is given cannot be trained from; the message says why."""


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
    api: str
    kind: str
    question: str
    text: str


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise BadInput(f"{path} is missing")
    return path


def _lines(path: Path) -> list[str]:
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(_existing(path), "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def _rows(folder: Path, name: str, count: int) -> np.ndarray:
    """int8 rows with a scale each, as float32."""
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
            f"words have {word_vectors.shape[1]} numbers each, texts {text_vectors.shape[1]}: they must be of one teacher"
        )
    return Teacher(words, word_vectors, kinds, texts, text_vectors)


_SEPARATOR = re.compile(r"\s\.\s")


def read_apis(path: Path, left_out: set[str]) -> list[Api]:
    """One API a line; the parts of `text` and `ops` are separated by a full stop between spaces."""
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
    """Ids of the documents that operations are judged on: nothing may be learned from their texts."""
    families = json.loads(_existing(path).read_text(encoding="utf-8"))
    return {document.removesuffix(".json") for family in families for document in family["docs"]}


def read_dictionary(path: Path) -> list[str]:
    lines = [line for line in _lines(path) if line.strip()]
    if not lines:
        raise BadInput(f"{path} holds no entries")
    return lines


def read_questions(path: Path, known: set[str], left_out: set[str]) -> list[Question]:
    questions = []
    for number, line in enumerate(_lines(path), 1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[1] not in ("api", "op") or not fields[2].strip():
            raise BadInput(f"{path}, line {number}: must be API id, api or op, question, text, with tabs between")
        if fields[0] in left_out:
            continue
        if fields[0] not in known:
            raise BadInput(f"{path}, line {number}: {fields[0]} is no API of the training texts")
        questions.append(Question(*fields))
    return questions
