"""A small corpus in a folder, and functions that search it."""

from pathlib import Path

import pytest

from rarr.retrievers.corpus.corpus import Corpus
from retrievers.makers import Open

STATES = "California grows most of them. Georgia follows. Then comes New Jersey. Then Texas. Then Maine."
PEACHES = f"# Peaches\n\n{STATES}\n\n## History\n\nThe tree came from China. Monks brought it to America.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Makes a corpus of two files with four passages."""
    path = tmp_path / "notes"
    (path / "more").mkdir(parents=True)
    (path / "peaches.md").write_text(PEACHES, encoding="utf-8")
    (path / "more" / "paris.txt").write_text("Paris is the capital of France.", encoding="utf-8")
    return path


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens a corpus whose index has its own home."""
    return lambda path: Corpus.open(path, home=tmp_path / "home", window=4)
