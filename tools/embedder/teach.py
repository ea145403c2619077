"""Computes the teacher's vectors for train.py with any sentence transformer.

    python3 tools/embedder/teach.py --model all-mpnet-base-v2 --data DATA --out DATA/teacher

Needs numpy and sentence-transformers (which brings torch and transformers). --model is a name that
sentence-transformers knows, or a folder with such a model.
"""

import argparse
import lzma
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

try:
    from corpus import BadInput, read_apis, read_dictionary, read_left_out
    from projection import teach
    from words import Frequencies
except ModuleNotFoundError as missing:
    print(f"teach: the Python package {missing.name} is needed: pip install numpy", file=sys.stderr)
    sys.exit(2)

PACKAGES = "pip install sentence-transformers (it brings torch, transformers and numpy)"


def transformer(name: str):
    """Returns a function from texts to vectors."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise BadInput(f"sentence-transformers cannot be loaded ({error}): {PACKAGES}") from error
    try:
        model = SentenceTransformer(name)
    except Exception as error:  # any error of the package: missing folder, no network, a broken file
        raise BadInput(f"the model {name} cannot be loaded: {error}") from error
    return lambda texts: model.encode(texts, batch_size=64, show_progress_bar=False, convert_to_numpy=True)


def _parts(kind: str, texts: list[str]) -> list[tuple[str, str]]:
    tidy = (" ".join(text.split()) for text in texts)
    return [(kind, text[:400]) for text in tidy if text.count(" ") >= 1]


def texts_of(apis, dictionary: list[str], operations: int = 40) -> list[tuple[str, str]]:
    """Distinct titles, descriptions, summaries, glosses and examples."""
    made = _parts("title", [api.title for api in apis])
    made += _parts("full", [api.whole() for api in apis])
    for api in apis:
        made += _parts("desc", [api.description.split(". ")[0]])
        made += _parts("op", api.operations[:operations])
    for line in dictionary:
        gloss = line.partition(" . ")[2]
        made += _parts("wn", [part.strip(" .") for part in gloss.replace(" ; ", " . ").split(" . ")])
    return list(dict.fromkeys(made))


def read_texts(path: Path) -> list[tuple[str, str]]:
    if not path.is_file():
        raise BadInput(f"{path} is missing")
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\r\n") for line in file]
    for number, line in enumerate(lines, 1):
        if "\t" not in line:
            raise BadInput(f"{path}, line {number}: must be a kind, a tab and a text")
    return [(kind, text) for kind, _, text in (line.partition("\t") for line in lines)]


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Makes a teacher's vectors of words and texts.")
    parser.add_argument("--model", required=True, help="name or folder of a sentence transformer")
    parser.add_argument("--data", type=Path, required=True, help="folder with training-text.jsonl.gz and WordNet")
    parser.add_argument("--out", type=Path, required=True, help="folder for the six files")
    parser.add_argument("--texts", type=Path, help="kind, tab, text a line; otherwise made from the data")
    parser.add_argument("--words", type=Path, help="a word a line; otherwise the most frequent of the data")
    parser.add_argument("--vocabulary", type=int, default=50_000, help="how many words, where they are counted")
    parser.add_argument("--width", type=int, default=384, help="numbers to keep of each vector")
    return parser.parse_args(given)


def run(options: argparse.Namespace, load=transformer) -> None:
    apis, dictionary = [], []
    if not (options.texts and options.words):
        judged = options.data / "operations" / "families.json"
        left_out = read_left_out(judged) if judged.is_file() else set()
        apis = read_apis(options.data / "training-text.jsonl.gz", left_out)
        dictionary = read_dictionary(options.data / "wordnet-glosses.txt.xz")
    texts = read_texts(options.texts) if options.texts else texts_of(apis, dictionary)
    if options.words:
        if not options.words.is_file():
            raise BadInput(f"{options.words} is missing")
        words = options.words.read_text(encoding="utf-8").split()
    else:
        counted = Frequencies([" . ".join([api.whole(), *api.operations]) for api in apis], dictionary)
        words = counted.vocabulary(options.vocabulary)
    teach(load(options.model), words, texts, options.width, options.out)


def main(given: list[str], load=transformer) -> int:
    try:
        run(arguments(given), load)
        return 0
    except BadInput as error:
        print(f"teach: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
