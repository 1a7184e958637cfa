"""Fixtures: the documents that the runs search, and the data folder."""

from pathlib import Path

import pytest


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    text = "The bridge opened in 1937. It is red\x1b[31m. It was designed by Joseph Strauss."
    (folder / "bridge.md").write_text(text)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The data folder that RARR_HOME names in all tests."""
    return tmp_path / "home"
