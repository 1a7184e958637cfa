"""Reads the data sets of the benchmarks, which are not part of the project."""

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("BENCHMARK_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a .jsonl or .jsonl.gz file of the data folder. Ends the program if the file is missing."""
    path = FOLDER / name
    if not path.is_file():
        sys.exit(f"{path} is not there: set BENCHMARK_DATA to the folder that holds {name}")
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if name.endswith(".gz")
        else path.open(encoding="utf-8") as lines
    ):
        return [json.loads(line) for line in lines]
