"""Setup of the tests: the import path, a tiny corpus, and a skip without torch."""

import gzip
import importlib.util
import json
import lzma
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

WORDS = ["pay", "bill", "coin", "rain", "sun", "weather", "city", "the", "a", "money", "cloud", "ship"]


def needs(*packages: str):
    """Skips a test and names the missing packages; fails instead if REQUIRE_SERVICES=1."""
    if os.environ.get("REQUIRE_SERVICES") == "1":
        return lambda test: test
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    return unittest.skipIf(missing, f"needs the Python packages {', '.join(missing)}")


def tiny_encoder(width: int = 48):
    """A deterministic fake transformer: the mean of random word vectors, through one layer."""
    import torch

    generator = torch.Generator().manual_seed(7)
    table = torch.nn.EmbeddingBag(1000, width, mode="mean")
    layer = torch.nn.Linear(width, width)
    with torch.no_grad():
        # Decreasing variances, like those of a real teacher: otherwise there are no principal directions.
        falling = torch.linspace(1, 0.01, width) ** 3
        table.weight.copy_(torch.randn(1000, width, generator=generator) * falling)
        layer.weight.copy_(torch.eye(width) + 0.05 * torch.randn(width, width, generator=generator) * falling)
        layer.bias.zero_()

    def encode(texts):
        rows = [[sum(ord(c) * 31**i for i, c in enumerate(word)) % 1000 for word in text.split()] for text in texts]
        starts = [0]
        for row in rows[:-1]:
            starts.append(starts[-1] + len(row))
        with torch.no_grad():
            return layer(table(torch.tensor([n for row in rows for n in row]), torch.tensor(starts))).numpy()

    return encode


def tiny_texts(count: int = 240) -> list[tuple[str, str]]:
    picked = lambda number: [WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 5, 7)[: 2 + number % 3]]
    texts = (" ".join([*picked(number), WORDS[number // 12 % 12], WORDS[number // 20 % 12]]) for number in range(count))
    return [("op", text) for text in dict.fromkeys(texts)]


def tiny_data(folder: Path, width: int = 32) -> Path:
    """A data folder like the real one, with a teacher computed by teach.py."""
    from projection import teach

    folder.mkdir(parents=True, exist_ok=True)
    apis = [
        {"id": "pay.example", "text": "Pay . Pay the bill with a coin.", "ops": "Pay a bill . List the coin of a city"},
        {"id": "sky.example", "text": "Weather . Rain and sun of a city.", "ops": "Get the rain . Get the cloud"},
        {"id": "judged.example", "text": "Judged . Never learned from.", "ops": "Ship a ship"},
    ]
    with gzip.open(folder / "training-text.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(api) + "\n" for api in apis)
    with lzma.open(folder / "wordnet-glosses.txt.xz", "wt") as file:
        file.write("coin . a flat piece of money . pay with a coin . . \n")
        file.write("rain . water from a cloud . the rain fell . . \n")
    (folder / "operations").mkdir(exist_ok=True)
    families = [{"family": "judged.example", "docs": ["judged.example.json"]}]
    (folder / "operations" / "families.json").write_text(json.dumps(families))
    teach(tiny_encoder(), WORDS, tiny_texts(), width, folder / "teacher", say=lambda _: None)
    return folder
