"""Reads files of JSON lines, of benchmarks and of recorded answers."""

import gzip
import json
from pathlib import Path
from typing import Any


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Reads a file of JSON lines, unpacked if its name ends in `.gz`."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    # A text may hold other line ends than \n, such as U+2028, which JSON leaves as they are.
    return [json.loads(line) for line in text.split("\n") if line]
