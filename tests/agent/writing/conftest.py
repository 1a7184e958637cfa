"""The folder of each test is its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def with_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))
