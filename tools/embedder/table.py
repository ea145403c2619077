"""The file that the product reads: rows with four bits per number, and a scale for each 32 numbers."""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corpus import BadInput, checked_words

MAGIC = b"PWORDS01"
GROUP = 32


@dataclass
class Table:
    words: list[str]
    idf: np.ndarray  # uint8: 255 is the maximum, and used for unknown words
    rarity: np.ndarray  # uint8: -16 ln of the word's share
    scales: np.ndarray  # float16, words by groups
    codes: np.ndarray  # uint8 of 0 to 15, words by numbers

    def rows(self) -> np.ndarray:
        values = self.codes.astype(np.float32) - 8
        return values * np.repeat(self.scales.astype(np.float32), GROUP, axis=1)


def quantised(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Finds the scale of either sign with the smallest squared error for each group, and its codes.

    Codes reach from -8 to 7, so that the sign of the scale says to which side the longer reach is.
    """
    count, width = rows.shape
    if width % GROUP:
        raise BadInput(f"a row must be a multiple of {GROUP} numbers, not {width}")
    groups = rows.reshape(-1, GROUP).astype(np.float32)
    largest = np.take_along_axis(groups, np.abs(groups).argmax(1)[:, None], 1)[:, 0]
    best = np.full(len(groups), np.inf, np.float32)
    scales = np.zeros(len(groups), np.float16)
    for reach in np.linspace(5.5, 9.0, 15, dtype=np.float32):
        for sign in (-1, 1):
            scale = (sign * largest / reach).astype(np.float16)
            values = scale.astype(np.float32)[:, None]
            codes = np.rint(np.divide(groups, values, out=np.zeros_like(groups), where=values != 0)).clip(-8, 7)
            error = ((codes * values - groups) ** 2).sum(1)
            better = error < best
            best[better], scales[better] = error[better], scale[better]
    values = scales.astype(np.float32)[:, None]
    codes = np.rint(np.divide(groups, values, out=np.zeros_like(groups), where=values != 0)).clip(-8, 7) + 8
    return scales.reshape(count, -1), codes.astype(np.uint8).reshape(count, width)


def to_bytes(table: Table) -> bytes:
    vocabulary = "".join(f"{word}\n" for word in table.words).encode("ascii")
    head = MAGIC + struct.pack("<III", len(table.words), table.codes.shape[1], len(vocabulary))
    packed = table.codes[:, 0::2] | (table.codes[:, 1::2] << 4)
    parts = [head, vocabulary, table.idf.tobytes(), table.rarity.tobytes()]
    return b"".join([*parts, table.scales.astype("<f2").tobytes(), packed.astype(np.uint8).tobytes()])


def from_bytes(data: bytes) -> Table:
    if len(data) < 20 or data[:8] != MAGIC:
        raise BadInput("this is no table of words: it does not begin with PWORDS01")
    count, width, length = struct.unpack_from("<III", data, 8)
    expected = 20 + length + 2 * count + 2 * count * (width // GROUP) + count * width // 2
    if width % GROUP or len(data) != expected:
        raise BadInput(f"the table should have {expected} bytes, but has {len(data)}")
    at = 20 + length
    words = checked_words(data[20:at].decode("ascii").split("\n")[:-1], "the table")
    if len(words) != count:
        raise BadInput(f"the table should have {count} words, but has {len(words)}")
    take = lambda kind, number, offset: np.frombuffer(data, kind, number, offset)
    idf, rarity = take(np.uint8, count, at), take(np.uint8, count, at + count)
    scales = take("<f2", count * (width // GROUP), at + 2 * count).reshape(count, -1)
    packed = take(np.uint8, count * width // 2, at + 2 * count + scales.nbytes).reshape(count, -1)
    codes = np.empty((count, width), np.uint8)
    codes[:, 0::2], codes[:, 1::2] = packed & 15, packed >> 4
    return Table(words, idf, rarity, scales, codes)


def write(path: Path, data: bytes) -> str:
    """Writes a temporary file and renames it, so that readers never see half a file; returns the digest."""
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(data)
    beside.replace(path)
    return hashlib.sha256(data).hexdigest()
