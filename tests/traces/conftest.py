"""What the runs that are recorded search."""

from pathlib import Path

import pytest


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "bridge.md").write_text(
        "The bridge opened in 1937. It is red\x1b[31m. It was designed by Joseph Strauss."
    )
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """As RARR_HOME has it in tests."""
    return tmp_path / "home"
