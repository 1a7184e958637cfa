"""Cards are the default, and the folder of each test is its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def with_defaults(with_the_text_in_view: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RARR_SCOPE")
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))
