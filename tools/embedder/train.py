"""Trains the table of word vectors.

    python3 tools/embedder/train.py --data ../shared/data --out libs/adapters/word-vectors/model

Needs numpy, scipy and torch. The same data, seed and machine give the same bytes; another processor may round
differently and give a table that is as good, with another digest.
"""

import argparse
import os
import sys
from pathlib import Path

# One thread: results of sums depend on the number of threads, and these matrices are too small to benefit.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

PACKAGES = "pip install numpy scipy torch (Debian: python3-numpy python3-scipy python3-torch)"


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains the table of word vectors that the product searches with.")
    parser.add_argument("--data", type=Path, required=True, help="folder with teacher/, training texts and WordNet")
    parser.add_argument("--teacher", type=Path, help="folder of the teacher's vectors; teacher/ of the data otherwise")
    parser.add_argument("--questions", type=Path, help="questions.tsv; the one beside this program otherwise")
    parser.add_argument("--out", type=Path, required=True, help="folder for words.bin and manifest.json")
    parser.add_argument("--id", default="portico-words-1", help="the model's id, kept beside every vector made with it")
    parser.add_argument("--teacher-name", default="all-mpnet-base-v2", help="what the manifest calls the teacher")
    parser.add_argument("--width", type=int, default=256, help="numbers a word: the first of the teacher's")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3, help="how many trainings the table is the mean of")
    parser.add_argument("--quality", type=Path, help="JSON with the figures of an evaluation, for the manifest")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(given)


def main(given: list[str]) -> int:
    options = arguments(given)
    try:
        from run import run  # torch takes seconds to load, so not for --help or invalid options
    except ModuleNotFoundError as missing:
        print(f"train: the Python package {missing.name} is needed: {PACKAGES}", file=sys.stderr)
        return 2
    from corpus import BadInput

    try:
        run(options)
        return 0
    except BadInput as error:
        print(f"train: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
