"""What the table is and what it was made from, beside it."""

import argparse
import json
from pathlib import Path

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


def content(options: argparse.Namespace, digest: str, size: int, counts: dict, questions: int) -> dict:
    command = f"python3 tools/embedder/train.py --data DATA --out DIR --seed {options.seed}"
    return {
        "id": options.id,
        "sha256": digest,
        "bytes": size,
        **counts,
        "teacher": options.teacher_name,
        "sources": SOURCES + [QUESTIONS] * bool(questions),
        "command": f"{command} --width {options.width} --epochs {options.epochs}",
        "seed": options.seed,
        "quality": {},
    }


def write(path: Path, made: dict) -> None:
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
