"""Converts a teacher's vectors to the files that the training reads."""

import lzma
from pathlib import Path

import numpy as np

from corpus import BadInput, checked_words


def principal_directions(vectors: np.ndarray, width: int) -> np.ndarray:
    """The principal directions of the second moment about zero, as columns, in descending order.

    About zero, not the mean, so that cosines are preserved.
    """
    if not 0 < width <= vectors.shape[1]:
        raise BadInput(f"width {width}: the teacher's vectors have {vectors.shape[1]} numbers")
    exact = vectors.astype(np.float64)
    _, directions = np.linalg.eigh(exact.T @ exact)
    strongest = directions[:, ::-1][:, :width]
    # The sign of an eigenvector is arbitrary; this choice is the same on every machine.
    largest = np.take_along_axis(strongest, np.abs(strongest).argmax(0)[None], 0)
    return (strongest * np.where(largest < 0, -1, 1)).astype(np.float32)


def to_int8(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quantizes each row to int8 with its own scale: row = codes × scale."""
    scales = (np.abs(rows).max(1) / 127).astype(np.float32)
    codes = np.rint(np.divide(rows, scales[:, None], out=np.zeros_like(rows), where=scales[:, None] > 0))
    return codes.astype(np.int8), scales


def embedded(encode, texts: list[str], what: str, batch: int = 256, say=print) -> np.ndarray:
    """Unit vectors of all texts, in order."""
    parts = []
    for start in range(0, len(texts), batch):
        part = np.asarray(encode(texts[start : start + batch]), dtype=np.float32)
        expected = len(texts[start : start + batch])
        if part.ndim != 2 or len(part) != expected or not np.isfinite(part).all():
            raise BadInput(f"the teacher gave no {expected} rows of finite numbers for {what} from {start + 1} on")
        parts.append(part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-9))
        if start // batch % 100 == 99:
            say(f"{what}: {start + expected} of {len(texts)}")
    return np.concatenate(parts)


def teach(encode, words: list[str], texts: list[tuple[str, str]], width: int, out: Path, say=print) -> None:
    """Writes the six files: words and texts, in order, and their vectors in the principal directions of the texts."""
    checked_words(words, "the vocabulary")
    if not texts:
        raise BadInput("there are no texts for the teacher to read")
    for number, (kind, text) in enumerate(texts, 1):
        if not kind or not text.strip() or any(c in kind + text for c in "\t\n\r"):
            raise BadInput(f"text {number}: must have a kind and some words, without tabs or line ends")
    of_texts = embedded(encode, [text for _, text in texts], "texts", say=say)
    directions = principal_directions(of_texts, width)
    kept = np.square(of_texts @ directions).sum() / np.square(of_texts).sum()
    of_words = embedded(encode, words, "words", say=say)
    out.mkdir(parents=True, exist_ok=True)
    for name, vectors in (("texts", of_texts), ("words", of_words)):
        codes, scales = to_int8(vectors @ directions)
        np.save(out / f"{name}.npy", codes)
        np.save(out / f"{name}-scale.npy", scales)
    (out / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="ascii", newline="\n")
    with lzma.open(out / "texts.tsv.xz", "wt", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{kind}\t{text}\n" for kind, text in texts)
    say(f"{out}: {len(words)} words, {len(texts)} texts, {width} numbers each ({kept:.1%} of the second moment)")
