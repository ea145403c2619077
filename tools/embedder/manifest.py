"""The manifest next to the table: its format and its origin."""

import argparse
import json
from pathlib import Path

from corpus import BadInput

SOURCES = [
    {"name": "all-mpnet-base-v2, the teacher", "licence": "Apache-2.0"},
    {"name": "Open English WordNet, glosses and examples", "licence": "CC-BY-4.0"},
    {"name": "APIs-guru/openapi-directory, titles, descriptions and summaries", "licence": "CC0-1.0"},
    {"name": "microsoft/PowerPlatformConnectors, titles, descriptions and summaries", "licence": "MIT"},
    {"name": "jentic/jentic-public-apis, titles, descriptions and summaries", "licence": "MIT"},
    {
        "name": "API documents in their vendors' own repositories, titles, descriptions and summaries",
        "licence": "MIT, Apache-2.0, BSD-3-Clause, MPL-2.0",
    },
    {"name": "Debian's package descriptions, for a part of the query-like texts", "licence": "as each package"},
]
QUESTIONS = {"name": "questions written for this project, tools/embedder/questions.tsv", "licence": "Apache-2.0"}


def quality_of(path: Path | None) -> dict:
    """Figures of an evaluation; training itself evaluates nothing."""
    if path is None:
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} holds no figures: {error}") from error
    if not isinstance(read, dict):
        raise BadInput(f"{path} must hold a JSON object of figures")
    return read


def content(options: argparse.Namespace, digest: str, size: int, counts: dict, quality: dict) -> dict:
    command = f"python3 tools/embedder/train.py --data DATA --out DIR --seed {options.seed}"
    return {
        "id": options.id,
        "sha256": digest,
        "bytes": size,
        **counts,
        "teacher": options.teacher_name,
        "sources": SOURCES + [QUESTIONS] * bool(counts["questions"]),
        "command": f"{command} --width {options.width} --runs {options.runs} --epochs {options.epochs}",
        "seed": options.seed,
        "quality": quality,
    }


def write(path: Path, made: dict) -> None:
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
