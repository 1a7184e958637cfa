"""Reads files of JSON lines."""

import gzip
import json
from pathlib import Path
from typing import Any


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Returns the objects in a file of JSON lines. Unpacks a file whose name ends in `.gz`."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    # Not `splitlines`: a JSON text may contain other line ends, such as U+2028.
    return [json.loads(line) for line in text.split("\n") if line]
