"""One training run, from the files to the table."""

import argparse
import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import corpus
import manifest
import table
from bags import Reader
from clusters import clustered
from pairs import api_pairs, dictionary_pairs, question_pairs
from start import first_vectors, first_weights
from training import Pairs, Rows, Settings, train
from words import Frequencies


@dataclass
class Material:
    teacher: corpus.Teacher
    apis: list[corpus.Api]
    dictionary: list[str]
    questions: list[corpus.Question]
    frequencies: Frequencies


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def read(data: Path, teacher: Path | None, questions: Path | None, width: int) -> Material:
    given = corpus.read_teacher(teacher or data / "teacher")
    if not 0 < width <= given.word_vectors.shape[1] or width % table.GROUP:
        raise corpus.BadInput(
            f"width {width}: must be a multiple of {table.GROUP}, at most the teacher's {given.word_vectors.shape[1]}"
        )
    given.word_vectors = np.ascontiguousarray(given.word_vectors[:, :width])
    given.text_vectors = unit(given.text_vectors[:, :width])
    judged = data / "operations" / "families.json"
    left_out = corpus.read_left_out(judged) if judged.is_file() else set()
    apis = corpus.read_apis(data / "training-text.jsonl.gz", left_out)
    dictionary = corpus.read_dictionary(data / "wordnet-glosses.txt.xz")
    beside = Path(__file__).with_name("questions.tsv")
    if questions or beside.is_file():
        asked = corpus.read_questions(questions or beside, apis, others_too=not questions)
    else:
        asked = []
    texts = [" . ".join([api.whole(), *api.operations]) for api in apis]
    return Material(given, apis, dictionary, asked, Frequencies(texts, dictionary))


def placed(made: list[tuple[str, str, float]], places: dict[str, int], filled: np.ndarray) -> Pairs | None:
    """Converts pairs of texts to pairs of bags; drops pairs with an empty side."""
    kept = [(places[left], places[right], weight) for left, right, weight in made]
    kept = [pair for pair in kept if filled[pair[0]] and filled[pair[1]]]
    if not kept:
        return None
    left, right, weight = zip(*kept)
    return Pairs(np.array(left), np.array(right), np.array(weight, np.float32))


def trained(material: Material, settings: Settings, seed: int, say=print) -> np.ndarray:
    """The rows of the table, in the order of the teacher's words."""
    random = np.random.default_rng(seed)
    teacher = material.teacher
    reader = Reader(teacher.words)
    places: dict[str, int] = {}
    related = api_pairs(material.apis) + dictionary_pairs(material.dictionary)
    asked = question_pairs(material.questions)
    for left, right, _ in related + asked:
        for text in (left, right):
            places.setdefault(text, len(teacher.texts) + len(places))
    bags = reader.bags(teacher.texts + list(places))
    filled = np.diff(bags.starts) > 0
    taught = np.flatnonzero(filled[: len(teacher.texts)])
    if not len(taught):
        raise corpus.BadInput("no text of the teacher's holds a word of its vocabulary")
    pairs, questions = placed(related, places, filled), placed(asked, places, filled)
    if pairs is None:
        raise corpus.BadInput("the texts make no pairs")
    weights = first_weights(np.array([material.frequencies.share(word) for word in teacher.words]))
    count = len(questions.left) if questions else 0
    say(f"{len(taught)} texts, {len(pairs.left)} pairs, {count} questions, {len(teacher.words)} words")
    vectors = first_vectors(teacher.word_vectors, weights, bags.part(taught), teacher.text_vectors[taught])
    member = clustered(teacher.text_vectors[taught], settings.clusters, random)
    # Runs with the same start converge to similar rows; their mean reduces the variance of each.
    total = np.zeros_like(vectors)
    for _ in range(settings.runs):
        rows = Rows(vectors, weights)
        train(rows, bags, taught, teacher.text_vectors, member, pairs, questions, settings, random, say)
        total += rows.table()
    return total / settings.runs


def table_of(material: Material, rows: np.ndarray) -> table.Table:
    """Rows of four bits, with the data to weight and to correct words."""
    words, frequencies = material.teacher.words, material.frequencies
    idf = np.array([frequencies.idf(word) for word in words]) / frequencies.highest_idf()
    rarity = np.array([-16 * np.log(frequencies.share(word)) for word in words])
    scales, codes = table.quantised(rows)
    as_bytes = lambda numbers: np.rint(numbers.clip(0, 255)).astype(np.uint8)
    return table.Table(words, as_bytes(255 * idf), as_bytes(rarity), scales, codes)


def run(options: argparse.Namespace) -> None:
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    for name, value in (("runs", options.runs), ("epochs", options.epochs), ("seed", options.seed + 1)):
        if value < 1:
            raise corpus.BadInput(f"{name} must be at least {'0' if name == 'seed' else '1'}")
    quality = manifest.quality_of(options.quality)
    material = read(options.data, options.teacher, options.questions, options.width)
    settings = Settings(runs=options.runs, epochs=options.epochs)
    rows = trained(material, settings, options.seed, functools.partial(print, flush=True))
    options.out.mkdir(parents=True, exist_ok=True)
    data = table.to_bytes(table_of(material, rows))
    digest = table.write(options.out / "words.bin", data)
    counts = {"words": len(material.teacher.words), "numbers": options.width, "texts": len(material.teacher.texts)}
    counts["questions"] = len(material.questions)
    made = manifest.content(options, digest, len(data), counts, quality)
    manifest.write(options.out / "manifest.json", made)
    print(f"{options.out / 'words.bin'}: {len(data)} bytes, sha256 {digest}")
