"""Indexes by the rules that most tests need."""

from pathlib import Path
from typing import Any

from rarr.retrievers.corpus.index_building import IndexReport, build_index

RULES: dict[str, Any] = {"window": 4}


def built(path: Path, out: Path, **options: Any) -> IndexReport:
    """Builds the index of `path` in `out`; `options` win over `RULES`."""
    return build_index(path, out, **(RULES | options))


def words(text: str) -> list[str]:
    """Returns the words of a long list, which takes fewer lines than a list of strings."""
    return text.split()
